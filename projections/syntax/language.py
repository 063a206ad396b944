"""The language of a file, and what linetrail knows of that language.

A language is data: one file in `languages/`, named for it. To add one, write that file and its cases in
`tests/projections/syntax/cases`. Its first paragraph says which files are in the language; more is read when
somebody asks for the language, and the grammar is imported when there is something to parse.
"""

import os
import re
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module, resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import tree_sitter

# Without the white space between two of these there might be another operator: `a - -b`, but not `a = -b`.
_SPACE = {"after": "[-+&|!<?]", "before": "[-+&|.?=]"}
_VERSION = re.compile(r"[\d.]+$")


@dataclass(frozen=True, eq=False)
class Language:
    """A language that has a grammar, as its file in `languages/` describes it."""

    name: str
    # the package of the grammar, and the function in it that returns it
    module: str
    grammar: str
    # kinds of node: what the meaning does not depend on
    comments: tuple[str, ...]
    # what is read with all its white space
    verbatim: tuple[str, ...]
    # that in which a line end with its indentation is one blank, and none at either end
    folded: tuple[str, ...]
    # what is read with its white space and is found in the text, where nodes are too many or cannot tell
    quoted: re.Pattern[bytes] | None
    # finds one character of the white space that counts elsewhere
    space: re.Pattern[bytes] | None
    # the same for line ends
    lines: re.Pattern[bytes] | None
    # finds that at which the grammar would end the process
    refused: re.Pattern[bytes] | None
    # a query: `@definition.KIND`, the `@name` inside of it, a `@scope` where the name alone does not tell it; `@outer`,
    # which belongs to the definition inside of it if that is the only one; `@attached`, which belongs to the definition
    # below as a comment does; `@part`, which no token ends; `@key`, before a name that counts if the key is in `keys`
    definitions: str
    keys: tuple[bytes, ...]
    # the same for patterns that begin at the root, which cost as much as all others in one query with them
    top: str
    # a query: `@local`, a name where it is bound
    locals: str

    @cached_property
    def loaded(self) -> "tree_sitter.Language":
        """The grammar; who asks first imports its package."""
        import tree_sitter

        return tree_sitter.Language(getattr(import_module(self.module), self.grammar)())

    @cached_property
    def queries(self) -> "tuple[tree_sitter.Query, tree_sitter.Query]":
        """The query for what may be anywhere, with the kinds of node named above, and the query for the top."""
        import tree_sitter

        comments = [f"({kind}) @comment" for kind in self.comments]
        verbatim = [f"({kind}) @verbatim" for kind in self.verbatim]
        folded = [f"({kind}) @folded" for kind in self.folded]
        anywhere = "\n".join([*comments, *verbatim, *folded, self.definitions])
        return tree_sitter.Query(self.loaded, anywhere), tree_sitter.Query(self.loaded, self.top)

    @cached_property
    def bindings(self) -> "tree_sitter.Query":
        """The query for names that are bound inside a definition."""
        import tree_sitter

        return tree_sitter.Query(self.loaded, self.locals)


def language_of(path: str, content: bytes = b"") -> Language | None:
    """Return a file's language by its name, else by the program that its first line names; else None."""
    base = os.path.basename(path)
    claims = _claims()
    names = claims[base] or claims[os.path.splitext(base)[1].lower()]
    if not names and content.startswith(b"#!"):
        names = claims["#!" + _program(content)]
    for name in names:
        signs = _headings()[name].get("signs", "")
        if len(names) == 1 or re.search(signs.encode(), content, re.MULTILINE):
            return named(name)
    return None


@cache
def named(name: str) -> Language:
    """Return the language of this name; KeyError when there is none."""
    if name not in _headings():
        raise KeyError(name)
    told = tomllib.loads(_text(name))
    return Language(
        name=name,
        module=told["module"],
        grammar=told.get("grammar", "language"),
        comments=tuple(told["comments"]),
        verbatim=tuple(told["verbatim"]),
        folded=tuple(told.get("folded", ())),
        quoted=_compiled(told.get("quoted")),
        space=_between(r"\s", told.get("space", _SPACE)),
        lines=_between(r"\n", told.get("lines", {})),
        refused=_compiled(told.get("refused")),
        definitions=told.get("definitions", ""),
        keys=tuple(key.encode() for key in told.get("keys", ())),
        top=told.get("top", ""),
        locals=told.get("locals", ""),
    )


def languages() -> tuple[Language, ...]:
    """Return every language there is, by name."""
    return tuple(map(named, _headings()))


def _compiled(pattern: str | None) -> re.Pattern[bytes] | None:
    return re.compile(pattern.encode(), re.MULTILINE) if pattern else None


def _between(blank: str, told: dict[str, str]) -> re.Pattern[bytes] | None:
    """Compile what finds one blank between two characters, by what is rarer: the blank, or group 1 before it."""
    if not told:
        return None
    after, before = told["after"], told["before"]
    few = blank == r"\s" and not after.startswith(("[^", r"\S"))
    # A line end that counts has become another byte before anybody asks for blanks: none after it counts.
    found = f"({after}){blank}" if few else rf"{blank}(?<={after}{blank})(?<!\xfa{blank})"
    return re.compile(rf"{found}(?=\s*{before})".encode())


def _text(name: str) -> str:
    return (resources.files(__package__) / "languages" / f"{name}.toml").read_text(encoding="utf-8")


@cache
def _headings() -> dict[str, dict[str, Any]]:
    """Return the first paragraph of each language."""
    folder = resources.files(__package__) / "languages"
    names = sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))
    return {name: tomllib.loads(_text(name).partition("\n\n")[0]) for name in names}


@cache
def _claims() -> dict[str, list[str]]:
    """Return the languages that claim an extension, a file name or a program; first those that look for signs."""
    claims: dict[str, list[str]] = defaultdict(list)
    for name, told in sorted(_headings().items(), key=lambda language: "signs" not in language[1]):
        programs = ["#!" + program for program in told.get("programs", ())]
        for claim in [*told["extensions"], *told.get("files", ()), *programs]:
            claims[claim].append(name)
    return claims


def _program(content: bytes) -> str:
    words = content[2:].split(b"\n", 1)[0].decode("utf-8", "replace").split()
    names = [os.path.basename(word) for word in words if not word.startswith("-") and "=" not in word]
    if names[:1] == ["env"]:
        del names[0]
    return _VERSION.sub("", names[0]) if names else ""
