"""What a command consists of, once it has been read, and which characters hide it from a reader."""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

# What a person does not see, or sees elsewhere than where it stands: the reviewer and the shell must read the same.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ODD_BLANK = re.compile(r"[\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff0-\ufffd\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0]")  # fmt: skip
_LOOKS_LIKE = re.compile(r"[\uff01-\uff5e\ufe50-\ufe6b\u037e\u1fef]")  # other forms of what the shell knows
NAME = r"[\w.-]+"


class Unreadable(Exception):  # noqa: N818  no failure of this program: the answer that a text is no command we know
    """This text is not in the part of the shell language that is read here."""


class Piece(NamedTuple):
    """A stretch of a word.

    `kind` is `text`, `ansi` ($'…' decoded), `var`, `sub` ($(…) and backquotes), `arith` or `proc` (<(…) and >(…)).
    `text` is what stands there after quote removal, the name of the variable, or the expression.
    """

    kind: str
    text: str
    quoted: bool
    # how a variable is expanded: "" for $x and ${x}, else everything behind its name
    operator: str = ""
    # words inside ${x:-…}
    inner: "tuple[Piece, ...]" = ()
    script: "Script | None" = None


class Word(NamedTuple):
    """One word, with where it stands in the text."""

    pieces: tuple[Piece, ...]
    start: int
    spelled: str

    @property
    def literal(self) -> str | None:
        """The text of a word that stands for itself, globs and braces included; None when something expands in it."""
        texts = [piece.text for piece in self.pieces if piece.kind == "text"]
        return "".join(texts) if len(texts) == len(self.pieces) else None


class Assignment(NamedTuple):
    """`name=value` in front of a command, or alone; a list has its words in `values`."""

    name: str
    operator: str
    value: Word
    values: tuple[Word, ...] = ()
    listed: bool = False


class Redirect(NamedTuple):
    """`fd` is what stands in front of the operator; `body` the pieces of a here-document."""

    fd: str
    operator: str
    target: Word
    body: tuple[Piece, ...] = ()


class Simple(NamedTuple):
    """A command of words."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]


class Compound(NamedTuple):
    """A group, a loop, a choice: what runs is in `scripts`.

    `kind` is `group`, `subshell`, `if`, `while`, `for`, `select`, `case`, `test`, `arith` or `function`.
    """

    kind: str
    scripts: "tuple[Script, ...]"
    words: tuple[Word, ...] = ()
    # the variable of a loop, the name of a function, the text of an expression
    name: str = ""
    redirects: tuple[Redirect, ...] = ()
    start: int = 0


Command: TypeAlias = Simple | Compound


class Pipeline(NamedTuple):
    """Commands joined by `|`; `separator` is what stands behind it: `;`, `&`, `&&`, `||` or nothing."""

    stages: tuple[Command, ...]
    separator: str
    # a `!` in front turns its success round
    negated: bool = False


class Script(NamedTuple):
    """Pipelines, one after the other."""

    pipelines: tuple[Pipeline, ...]
    # an escaped text inside backquotes: where its words stand is not where they stood
    displaced: bool = False


def hidden(text: str) -> str | None:
    """Say which character hides something; None when all of them are plain to see."""
    if text.isascii() and text.isprintable():
        return None
    for pattern in (_CONTROL, _ODD_BLANK, _LOOKS_LIKE):
        found = pattern.search(text)
        if found:
            return f"U+{ord(found[0]):04X} shows something else than what runs"
    if not text.isascii():
        for char in set(text):
            if char > "\x7f" and unicodedata.category(char) in ("Cf", "Cc", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"):
                return f"U+{ord(char):04X} shows something else than what runs"
    return None


def commands(script: Script) -> Iterator[Command]:
    """Everything that may run, also inside words, in the order of the text."""
    for pipeline in script.pipelines:
        for command in pipeline.stages:
            yield command
            for inner in _scripts_in_words(command):
                yield from commands(inner)
            if isinstance(command, Compound):
                for inner in command.scripts:
                    yield from commands(inner)


def scripts(script: Script) -> Iterator[Script]:
    """Every list of commands in a text, itself first."""
    yield script
    for command in commands(script):
        yield from _scripts_in_words(command)
        if isinstance(command, Compound):
            yield from command.scripts


def words_of(command: Command) -> Iterator[Word]:
    """Every word of one command, those of its assignments and redirections included."""
    if isinstance(command, Simple):
        for assignment in command.assignments:
            yield assignment.value
            yield from assignment.values
    yield from command.words
    for redirect in command.redirects:
        yield redirect.target


def made_name(word: Word) -> str | None:
    """Say how the name of a program comes to be, where it does not stand there."""
    if any(piece.kind in ("sub", "var", "ansi", "arith", "proc") for piece in word.pieces):
        return "the name of the program is put together at run time"
    unquoted = "".join(piece.text for piece in word.pieces if not piece.quoted)
    if "{" in unquoted and word.spelled != "{}":
        return "braces spell the name of the program"
    return None


def quoted_name(word: Word) -> str | None:
    """Say that quotes hide the name of a program from whoever looks for it."""
    literal = word.literal or ""
    whole = re.fullmatch(r"'[^']*'|\"[^\"]*\"", word.spelled)
    if ("'" in word.spelled or '"' in word.spelled) and not whole and re.fullmatch(NAME, literal.replace("/", "")):
        return f"quotes inside the name hide {literal}"
    return None


def _scripts_in_words(command: Command) -> Iterator[Script]:
    for word in words_of(command):
        yield from _scripts_inside(word.pieces)
    for redirect in command.redirects:
        yield from _scripts_inside(redirect.body)


def _scripts_inside(pieces: tuple[Piece, ...]) -> Iterator[Script]:
    for piece in pieces:
        if piece.script:
            yield piece.script
        if piece.inner:
            yield from _scripts_inside(piece.inner)
