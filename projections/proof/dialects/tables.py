"""Read the table of a language: what its words are, and what most of its nodes become.

A construct is said in one line, by the kind of term it becomes, the term's value after `=`, and its kids in order:
`attribute=. operand field:name`. A kid is what stands under a field of the grammar, or, where there is none, under a
kind of node.

    name      the part under this tag; `name?` may be absent, `name*` is every part under it, `name.` are its kids
    #0        the first part that is no mere token; `#1?` the second, if there is one
    *         the parts that nothing else here names, without tokens; `**` with them; `one` is them as one term
    -         ABSENT
    ( … )     a term within
    type:…    a part converted: see `CONVERSIONS`

A value that ends with a comma is a tuple of words; `=@` is the first token, `=@@` all that say something. A line of one
part alone is that part. `binary`, `inner` and so on are functions of Python that several languages share.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple

from tree_sitter import Node

from linetrail.projections.proof.dialects import operators
from linetrail.projections.proof.dialects.lowering import Parts, Rule, at, inner, one, signs, spread
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

Conversion = Callable[[Term], Term]
Says = Callable[[str, Term], bool]
_Taken = Callable[[Node, Parts, dict[str, Term]], Sequence[Term]]
_Value = Callable[[Parts], object]


def _renaming(kind: str) -> Conversion:
    return lambda term: operators.renamed(term, kind)


def _kind(kind: str) -> Conversion:
    return lambda term: term.but(kind=kind)


# `field` says so of a name and leaves anything else alone, `field!` of whatever there is.
CONVERSIONS: Final[Mapping[str, Conversion]] = {
    "type": operators.typed,
    "body": operators.body,
    **{kind: _renaming(kind) for kind in (t.FIELD, t.BIND, t.MEMBER)},
    **{f"{kind}!": _kind(kind) for kind in (t.FIELD, t.BIND, t.MEMBER)},
}
_SHARED: Final[Mapping[str, Rule]] = {
    "assignment": operators.assignment,
    "binary": operators.binary,
    "inner": inner,
    "unary": operators.unary,
    "update": operators.update,
}


class Table(NamedTuple):
    """The table of a language.

    `builtins` are names that the language brings, `leaves` the kinds of terms for nodes without parts.
    """

    builtins: frozenset[str]
    leaves: Mapping[str, str]
    rules: dict[str, Rule]
    words: Mapping[str, frozenset[str]]


def is_no_token(_tag: str, term: Term) -> bool:
    """Return whether a part is more than a word or a sign of the language."""
    return term.kind != t.TOKEN


def table(language: str, conversions: Mapping[str, Conversion] | None = None, says: Says = is_no_token) -> Table:
    """Return the table of a language; its own conversions go before those of all. `says` tells parts from tokens."""
    told = _read(language)
    known = {**CONVERSIONS, **(conversions or {})}
    return Table(
        frozenset(str(told.get("builtins", "")).split()),
        {node: kind for kind, nodes in told.get("leaves", {}).items() for node in nodes.split()},
        {node: construct(line, known, says) for node, line in told.get("constructs", {}).items()},
        {name: frozenset(words.split()) for name, words in told.get("words", {}).items()},
    )


@cache
def _read(language: str) -> dict[str, Any]:
    file = resources.files(__package__) / language / f"{language}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def construct(line: str, conversions: Mapping[str, Conversion], says: Says) -> Rule:
    """Return the rule that a line of a table says."""
    if line in _SHARED:
        return _SHARED[line]
    words = line.split()
    if len(words) == 2 and words[1] == "*":
        return _plain(words[0], says)
    reader = _Line(words, conversions, says)
    if len(words) == 1 and (words[0] == "one" or words[0].startswith("#")):
        part = reader.part(words[0])
        return lambda node, parts: part(node, parts, {})[0]
    made = reader.term(iter(words))
    return lambda node, parts: made(node, parts, dict(parts))


def _plain(said: str, says: Says) -> Rule:
    """Return the rule for a node that is its parts without its tokens: most are."""
    kind, _, told = said.partition("=")
    value = _value(told)
    return lambda node, parts: at(node, kind, value(parts), [term for tag, term in parts if says(tag, term)])


class _Line:
    """One line of a table while it is read."""

    def __init__(self, words: Sequence[str], conversions: Mapping[str, Conversion], says: Says) -> None:
        self._conversions, self._says = conversions, says
        said = [word for before, word in zip(("(", *words), words, strict=False) if before != "("]
        self._tags = frozenset(word.rpartition(":")[2].rstrip("?*.") for word in said)
        self._places = frozenset(int(word.rpartition("#")[2].rstrip("?.")) for word in said if "#" in word)

    def term(self, words: Iterator[str]) -> Callable[[Node, Parts, dict[str, Term]], Term]:
        """Return what makes a term of the words up to the end, or up to a closing parenthesis."""
        kind, _, said = next(words).partition("=")
        value = _value(said)
        taken: list[_Taken] = []
        for word in words:
            if word == ")":
                break
            taken.append(self._within(words) if word == "(" else self.part(word))

        def made(node: Node, parts: Parts, by: dict[str, Term]) -> Term:
            return at(node, kind, value(parts), [kid for take in taken for kid in take(node, parts, by)])

        return made

    def _within(self, words: Iterator[str]) -> _Taken:
        made = self.term(words)
        return lambda node, parts, by: (made(node, parts, by),)

    def part(self, word: str) -> _Taken:
        """Return what takes the terms that a word names from the parts of a node."""
        conversion, _, tag = word.rpartition(":")
        if conversion == "spread":
            take = self.part(tag)
            return lambda node, parts, by: spread(take(node, parts, by))
        if conversion:
            take, convert = self.part(tag), self._conversions[conversion]
            return lambda node, parts, by: [convert(term) for term in take(node, parts, by)]
        if tag == "-":
            return lambda _node, _parts, _by: (ABSENT,)
        if tag == "**":
            return lambda _node, parts, _by: [term for _, term in parts]
        if tag in ("*", "one"):
            return self._rest if tag == "*" else lambda node, parts, by: (one(self._rest(node, parts, by)),)
        return self._place(tag[1:]) if tag.startswith("#") else _tagged(tag)

    def _rest(self, _node: Node, parts: Parts, _by: dict[str, Term]) -> Sequence[Term]:
        said = [part for part in parts if self._says(*part)]
        return [term for at, (tag, term) in enumerate(said) if tag not in self._tags and at not in self._places]

    def _place(self, place: str) -> _Taken:
        at = int(place.rstrip("?."))

        def taken(_node: Node, parts: Parts, _by: dict[str, Term]) -> Sequence[Term]:
            said = [term for tag, term in parts if self._says(tag, term)]
            if place.endswith("?"):
                return said[at : at + 1] or (ABSENT,)
            return said[at].kids if place.endswith(".") else (said[at],)

        return taken


def _tagged(tag: str) -> _Taken:
    bare = tag.rstrip("?*.")
    if tag.endswith("*"):
        return lambda _node, parts, _by: [term for name, term in parts if name == bare]
    if tag.endswith("."):
        return lambda _node, _parts, by: by[bare].kids
    if tag.endswith("?"):
        return lambda _node, _parts, by: (by.get(bare, ABSENT),)
    return lambda _node, _parts, by: (by[bare],)


def _value(said: str) -> _Value:
    if said == "@":
        return lambda parts: next(term.value for _, term in parts if term.kind == t.TOKEN)
    if said == "@@":
        return lambda parts: " ".join(signs(parts))
    value = tuple(filter(None, said.split(","))) if said.endswith(",") else said
    return lambda _parts: value
