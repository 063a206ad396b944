"""What a language has to bring so that changes of its programs can be proved harmless."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from tree_sitter import Node

from linetrail.projections.proof.terms.term import Term


class Lowered(NamedTuple):
    """A file as terms.

    `comments` are the texts of comments that only people read, in order. `directives` are comments and lines that tools
    or the run time obey (`#!`, `//go:build`, an encoding, `/* @__PURE__ */`): they are code. `broken` says that the
    file could not be parsed as a whole.
    """

    module: Term
    comments: Sequence[str]
    directives: Sequence[str]
    broken: bool


class Dialect(Protocol):
    """One language, or several that share a grammar."""

    name: str

    # How a declaration is seen by names that stand before it or beside it:
    # "function": anywhere in its function (Python); "block": anywhere in its block, `var` and functions in their
    # function (JavaScript); "sequence": from the statement after it to the end of its block (Java, Go, Rust, C)
    scoping: str

    # the syntax tree of a file -> its terms; `item` is asked for each child of the root, so that a child whose bytes
    # were seen before need not be lowered again
    def lower(self, root: Node, source: bytes, seen: dict[bytes, Sequence[Term]]) -> Lowered: ...

    # whether the files of one folder see each other's names without importing them
    packages: bool = False

    # whether nothing outside this file can reach a name that is declared at the top of it by this statement
    def is_private(self, _name: str, _declaration: Term, _module: Term, /) -> bool:
        return False

    # the members of classes and structs in these files that nothing outside them can reach, by name
    def private_members(self, _modules: Sequence[Term], /) -> frozenset[str]:
        return frozenset()

    # names the language itself brings: never free to be taken by a rename
    builtins: frozenset[str]

    # a statement at the top of a file without what only type checkers read; None where types mean something at run time
    def untyped(self, _statement: Term, /) -> Sequence[Term] | None:
        return None

    # module path as written in a file -> paths, relative to the repository, of the files it can mean, best first
    def modules(self, _path: str, _written: str, _flags: Sequence[str], /) -> Sequence[str]:
        return ()
