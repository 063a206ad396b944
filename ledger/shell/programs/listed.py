"""What programs are known for, as data: their verbs and options, which words they only read, and where they write.

A row of known/ is a closed list, and all that is known: what no ordinary command uses is left out, and refused until a
person states it. A row that is missing costs a question, a row that is wrong costs a file.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from linetrail.ledger.shell.programs import tables
from linetrail.ledger.shell.programs.verbs import COMPILERS, HANDING_ON, words
from linetrail.ledger.shell.reading.options import Known
from linetrail.ledger.shell.reading.values import Arg

FILES = ("checks", "languages", "builds", "services", "files", "git")
_ALWAYS = {"help", "version", "h", ""}
# Programs that hand on what stands behind the name of what they run.
_RUNNING = words("go uv poetry pipenv pdm hatch bundle conda mise direnv pyenv rbenv docker podman bun deno")
# Programs whose long options stand behind one dash.
_ONE_DASH = words(
    "go gofmt goimports gofumpt staticcheck actionlint shfmt terraform tofu java javac mvn sbt gcc g++ cc c++ clang clang++ "
    "clang-tidy clang-format openssl sqlite3 duckdb tsc"
)
# Those for which a word behind an `@` is no file with more arguments.
_NAMING = words("npm pnpm yarn bun deno npx turbo nx lerna git gh glab")
# Verbs of yarn and pnpm with which they run a script of the project, which is told all that follows.
_SCRIPTS = words("test start build lint format typecheck check dev preview")
_LETTERS = re.compile(r"[-+]([A-Za-z0-9#@?:~]+)")
_SIGNS = {"=": "valued", "<": "inputs", ">": "outputs", "?": "choices", "!": "edits", "~": "spares", "^": "flags"}
_MARKS = "".join(_SIGNS)


class Row(NamedTuple):
    """All that a program is known for.

    The README of known/ says what fields and signs mean; `default` is what is written where no operand is given,
    `glued` are letters that a value follows, `patterns` forms of options.
    """

    verbs: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    letters: frozenset[str] = frozenset()
    glued: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    patterns: tuple[str, ...] = ()
    takes_plus: bool = False
    one_dash: bool = False
    negates: bool = False
    hands_on: bool = False
    operands: str = "read"
    default: str = ""
    inputs: frozenset[str] = frozenset()
    outputs: frozenset[str] = frozenset()
    choices: frozenset[str] = frozenset()
    edits: frozenset[str] = frozenset()
    spares: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()

    def stands_alone(self, option: str) -> bool:
        """Return whether an option is listed as one without a value."""
        return option in self.flags or any(re.fullmatch(form, option) for form in self.flags if form[0] == "(")

    def has(self, text: str) -> bool:
        """Return whether an option is listed: by its name, by all its letters, or as a form of it."""
        option = text.lstrip("-+").partition("=")[0]
        option = option.removeprefix("no-") if self.negates else option
        if option in self.names and (self.one_dash or text[:2] == "--" or len(option) < 2):
            return True
        clusters = text[:2] != "--" and (not self.one_dash or len(text) == 2 or text[1] in self.glued)
        if clusters and self._spells(text[1:]):
            return True
        return any(re.fullmatch(form, text.lstrip("-")) or re.fullmatch(form, option) for form in self.patterns)

    def takes(self, text: str) -> bool:
        """Return whether the word behind this option is its value, whatever it looks like."""
        return self.is_told(text) or (text[:1] == "-" and self._name(text) in self.outputs | self.valued)

    def is_told(self, text: str) -> bool:
        """Return whether the value of this option is read, or a name."""
        return text[:1] == "-" and self._name(text) in self.inputs | self.choices

    def said(self, texts: Sequence[str]) -> list[str]:
        """Return the words of a call that surely are its own, and no value of an option, whatever they look like."""
        ended = texts.index("--") if "--" in texts and not self.hands_on else len(texts)
        return [text for before, text in pairwise(["", *texts[:ended]]) if not self._may_take(before)]

    def _may_take(self, text: str) -> bool:
        """Return whether a long option may have the next word for its value."""
        name = text.lstrip("-")
        if text[:2] == "--" and not self.one_dash:
            return name in self.names - self.flags - self.spares - self.edits - _ALWAYS
        return self.one_dash and text[:1] == "-" and name in self.inputs | self.outputs | self.choices

    def _name(self, text: str) -> str:
        return text[-1:] if text[:1] == "-" != text[1:2] and not self.one_dash else text.lstrip("-")

    def _spells(self, cluster: str) -> bool:
        """Return whether each letter is known, up to one with a value, which may be glued to it."""
        for letter in cluster:
            if letter not in self.letters:
                return False
            if letter in self.glued or letter.isdigit():
                return True
        return True


def is_known(name: str) -> bool:
    """Return whether a program has a row."""
    return name in _rows()


@cache
def _rows() -> dict[str, str]:
    return {name: row for file in FILES for name, row in tables.rows(file).items()}


@lru_cache(256)  # an audit judges thousands of calls of a few programs
def row_of(name: str) -> Row | None:
    """Return what a program is known for; None of one that nobody knows."""
    if not is_known(name):
        return None
    fields = tables.fields(_rows()[name])
    listed, (operands, default) = fields["options:"], (*fields["operands:"], "", "")[:2]
    clusters = [found[1] for word in listed if (found := _LETTERS.fullmatch(word))]
    named = [word for word in listed if not _LETTERS.fullmatch(word)]
    marked = {
        field: frozenset(word.rstrip(_MARKS) for word in named if mark in word[1:]) for mark, field in _SIGNS.items()
    }
    names = frozenset(word.rstrip(_MARKS) for word in named) | _ALWAYS
    letters = {*"".join(clusters), *(word for word in names if len(word) == 1)}
    glued = {letter for letter in marked["inputs"] | marked["outputs"] if len(letter) == 1}
    one_dash = name in _ONE_DASH
    if one_dash and name not in COMPILERS:
        glued = set(filter(str.isupper, glued))
    if name in COMPILERS:
        letters -= set("dfmW")  # what stands behind these is a name of its own
    return Row(
        verbs=frozenset(fields["verbs:"]),
        names=names,
        letters=frozenset(letters),
        glued=frozenset(glued),
        patterns=tuple(word for word in named if re.search(r"[\[(*\\.]", word)),
        takes_plus=any(word[0] == "+" for word in listed),
        one_dash=one_dash,
        negates=name.startswith("git-"),
        hands_on=name in HANDING_ON,
        operands=operands or "read",
        default=default,
        **marked,
    )


def unlisted(name: str, args: Sequence[Arg], reading: Known | None = None) -> str | None:
    """Return the first verb or option of a call that its program is not known for; None where all are.

    `reading` are the options with which it only reads. What stands behind `--`, or behind the script of an interpreter, belongs to another program.
    """
    row = _reading(row_of(name) or Row(names=frozenset(_ALWAYS)), reading or Known())
    at, behind = 0, list[str]()
    while at < len(args):
        text, at = args[at].text, at + 1
        if args[at - 1].loose and not (at > 1 and row.takes(args[at - 2].text) and not args[at - 1].splits):
            return text
        if text == "--":
            return None if behind or not row.verbs else text
        if len(text) > 1 and (text[0] == "-" or (text[0] == "+" and row.takes_plus)):
            if not row.has(text):
                return text
            at += text.lstrip("-") in row.valued
            continue
        if text[:1] == "@" and name not in _NAMING and not name.startswith("git-"):
            return text
        behind.append(text)
        wrong = _wrong_verb(behind, row.verbs)
        runs = name in _RUNNING and behind[0] in ("run", "exec") and behind[1:]
        is_script = row.operands == "script" and not row.verbs
        if wrong or is_script or runs or (name in ("yarn", "pnpm") and behind[0] in _SCRIPTS):
            return wrong
    return None


@lru_cache(256)
def _reading(row: Row, reader: Known) -> Row:
    """Add the options with which a program only reads."""
    return row._replace(
        names=row.names | {word.rstrip("=?") for word in reader.long.split()},
        letters=row.letters.union(reader.flags, reader.valued, "0123456789" if reader.numeric else ""),
        glued=row.glued.union(reader.valued),
        inputs=row.inputs.union(reader.valued, (word[:-1] for word in reader.long.split() if word[-1] == "=")),
    )


def _wrong_verb(behind: Sequence[str], verbs: frozenset[str]) -> str | None:
    """Return the verb that is not listed, with the one in front of it; None for any other word."""
    if not verbs or len(behind) > 2:
        return None
    inner = {verb for verb in verbs if verb.startswith(f"{behind[0]}.")}
    if len(behind) == 1:
        return None if behind[0] in verbs or inner else behind[0]
    return None if behind[0] in verbs or ".".join(behind) in inner else " ".join(behind)
