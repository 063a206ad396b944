"""Which language a file is in, and what linetrail knows of that language.

A language is data: one file in `languages/`, named for it. To add one, write that file and its cases in
`tests/projections/syntax/cases`. Nothing of a language is loaded before somebody asks for it.
"""

import os
import re
import tomllib
from functools import cache
from importlib import import_module, resources
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import tree_sitter

# Without the white space between two of these there might be another operator: `a - -b`, but not `a = -b`.
SPACE = {"after": "[-+&|!<?]", "before": "[-+&|.?=]"}
_VERSION = re.compile(r"[\d.]+$")


class Language(NamedTuple):
    """A language that has a grammar.

    `comments` and `verbatim` are kinds of node: what the meaning does not depend on, and what is read with its white
    space. `space` and `lines` find one character of the white space, or of the line ends, that count elsewhere.
    `definitions` is a query with these captures: `@definition.KIND` and the `@name` inside of it, with a `@scope`
    where the name alone does not tell it; `@outer`, which belongs to the definition inside of it if that is the only
    one; `@attached`, which belongs to the definition below as a comment does; `@part`, whose end is no token.
    `top` is the same for patterns that begin at the root: in one query with the others they cost as much as all.
    """

    name: str
    module: str
    grammar: str
    extensions: tuple[str, ...]
    files: tuple[str, ...]
    programs: tuple[str, ...]
    comments: tuple[str, ...]
    verbatim: tuple[str, ...]
    space: re.Pattern[bytes] | None
    lines: re.Pattern[bytes] | None
    definitions: str
    top: str

    def load(self) -> "tree_sitter.Language":
        """Return the grammar; the first call imports its package."""
        return _grammar(self.module, self.grammar)

    def queries(self) -> "tuple[tree_sitter.Query, tree_sitter.Query]":
        """Return the query for what may be anywhere, with `@comment` and `@verbatim`, and that for the top."""
        return _queries(self)


def language_of(path: str, content: bytes = b"") -> Language | None:
    """Tell a file's language by its name, else by the program that its first line names; None for all others."""
    name = os.path.basename(path)
    found = _files().get(name) or _extensions().get(os.path.splitext(name)[1].lower())
    if found is None and content.startswith(b"#!"):
        found = _programs().get(_program(content))
    return named(found) if found else None


@cache
def named(name: str) -> Language:
    """Return the language of this name; KeyError when there is none."""
    file = resources.files(__package__) / "languages" / f"{name}.toml"
    try:
        told = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise KeyError(name) from None
    return Language(
        name=name,
        module=told["module"],
        grammar=told.get("grammar", "language"),
        extensions=tuple(told["extensions"]),
        files=tuple(told.get("files", ())),
        programs=tuple(told.get("programs", ())),
        comments=tuple(told.get("comments", ())),
        verbatim=tuple(told.get("verbatim", ())),
        # The same, written so that either is looked for by its rarer end.
        space=_compiled(r"{after}\s(?=\s*{before})", told.get("space", SPACE)),
        lines=_compiled(r"\n(?<={after}\n)(?=\s*{before})", told.get("lines", {})),
        definitions=told.get("definitions", ""),
        top=told.get("top", ""),
    )


@cache
def languages() -> tuple[Language, ...]:
    """Return every language there is, by name."""
    folder = resources.files(__package__) / "languages"
    names = sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))
    return tuple(map(named, names))


def _compiled(pattern: str, told: dict[str, str]) -> re.Pattern[bytes] | None:
    return re.compile(pattern.format(**told).encode()) if told else None


@cache
def _grammar(module: str, function: str) -> "tree_sitter.Language":
    import tree_sitter

    return tree_sitter.Language(getattr(import_module(module), function)())


@cache
def _queries(language: Language) -> "tuple[tree_sitter.Query, tree_sitter.Query]":
    import tree_sitter

    kinds = [(kind, "@comment") for kind in language.comments] + [(kind, "@verbatim") for kind in language.verbatim]
    anywhere = "\n".join([*(f"({kind}) {capture}" for kind, capture in kinds), language.definitions])
    grammar = language.load()
    return tree_sitter.Query(grammar, anywhere), tree_sitter.Query(grammar, language.top)


@cache
def _extensions() -> dict[str, str]:
    return {extension: language.name for language in languages() for extension in language.extensions}


@cache
def _files() -> dict[str, str]:
    return {file: language.name for language in languages() for file in language.files}


@cache
def _programs() -> dict[str, str]:
    return {program: language.name for language in languages() for program in language.programs}


def _program(content: bytes) -> str:
    words = content[2:].split(b"\n", 1)[0].decode("utf-8", "replace").split()
    names = [os.path.basename(word) for word in words if not word.startswith("-") and "=" not in word]
    if names[:1] == ["env"]:
        del names[0]
    return _VERSION.sub("", names[0]) if names else ""
