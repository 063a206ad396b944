"""What the words of a command become before its program sees them, as far as that is known."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.shell.reading.places import TEMPORARY
from linetrail.ledger.shell.reading.syntax import Assignment, Compound, Piece, Script, Simple, Word, commands

# Stands in a text for what only the running shell knows.
UNKNOWN = "\0"
_MOST, _BRACES = 64, 6
_LONG_RANGE = re.compile(r"\{[^}]*[0-9]{5}[^}]*\.\.|\{[^}]*\.\.[^}]*[0-9]{5}")
STEP = re.compile(r"\s*([a-z_]\w*)\s*(?:\+\+|--|[+-]=\s*[0-9]+)\s*")
_BLANK = re.compile(r"\s")
_GLOB = re.compile(r"[*?\[]")
# what a shell knows of itself: always a number
_NUMBERS = {"#", "?", "$", "!", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID"}


class Arg(NamedTuple):
    """One word as its program gets it.

    `known` where nothing in it depends on the run; `splits` where it may become several words, or none.
    """

    text: str
    known: bool = True
    glob: bool = False
    splits: bool = False
    quoted: bool = False

    @property
    def literal(self) -> bool:
        return self.known and not self.glob


# Harmless whichever it is, and yet nobody knows which path it makes: as with a pattern.
_SOME_NUMBER = Arg("1", glob=True)

Names = dict[str, list[Arg] | None]


def arguments(words: Iterable[Word], names: Names) -> list[Arg]:
    """Expand the words as far as they can be known; a variable with several known values gives each of them."""
    return [arg for word in words for arg in expand(word, names)]


def expand(word: Word, names: Names) -> list[Arg]:
    """Expand one word."""
    if _braced(word):
        return _braces(word)
    found = [Arg("", quoted=bool(word.pieces) and all(piece.quoted for piece in word.pieces))]
    for place, piece in enumerate(word.pieces):
        values = (
            [Arg(".", glob=not piece.quoted, quoted=piece.quoted)]
            if _stands_here(word, place, names)
            else _values(piece, names)
        )
        found = [_joined(arg, value) for value in values for arg in found]
        if len(found) > _MOST:
            return [Arg(UNKNOWN, known=False, splits=True)]
    return found


def _stands_here(word: Word, place: int, names: Names) -> bool:
    """Return whether this is the folder in which the shell stands, alone or with names below it."""
    piece = word.pieces[place]
    if place or piece.kind != "var" or piece.operator or piece.text != "PWD" or "PWD" in names:
        return False
    return len(word.pieces) == 1 or (word.pieces[1].kind == "text" and word.pieces[1].text.startswith("/"))


def _values(piece: Piece, names: Names) -> list[Arg]:
    if piece.kind in ("text", "ansi"):
        glob = not piece.quoted and bool(_GLOB.search(piece.text))
        return [Arg(piece.text, glob=glob, quoted=piece.quoted)]
    if piece.kind == "var" and piece.operator == "":
        if piece.text in names:
            return _remembered(names[piece.text], quoted=piece.quoted)
        if piece.text == "HOME":
            return [Arg("~")]
        if piece.text in _NUMBERS:
            return [_SOME_NUMBER]
    if piece.kind == "arith":
        return [_SOME_NUMBER]
    if piece.kind == "proc":
        return [Arg("/dev/fd/63")]
    if piece.kind == "sub" and piece.script and _is_temporary(piece.script):
        return [Arg(TEMPORARY)]
    return [Arg(UNKNOWN, known=False, splits=not piece.quoted or piece.text == "@")]


def _is_temporary(script: Script) -> bool:
    """Return whether a substitution only makes a new file, or folder, where such are kept."""
    stages = script.pipelines[0].stages if len(script.pipelines) == 1 else ()
    command = stages[0] if len(stages) == 1 else None
    if not isinstance(command, Simple) or command.assignments or command.redirects:
        return False
    words = [word.literal for word in command.words]
    return words[:1] == ["mktemp"] and all(word in ("-d", "-u", "-q", "-t") for word in words[1:2]) and len(words) < 3


def _remembered(values: list[Arg] | None, *, quoted: bool) -> list[Arg]:
    if not values:
        return [Arg(UNKNOWN, known=False, splits=not quoted)]
    if quoted:
        return [value._replace(splits=False) for value in values]
    if any(_BLANK.search(value.text) for value in values):
        return [Arg(UNKNOWN, known=False, splits=True)]
    return [value._replace(splits=value.glob) for value in values]


def _joined(left: Arg, right: Arg) -> Arg:
    return Arg(
        left.text + right.text,
        left.known and right.known,
        left.glob or right.glob,
        left.splits or right.splits,
        left.quoted and right.quoted,
    )


def _braced(word: Word) -> bool:
    unquoted = "".join(piece.text for piece in word.pieces if piece.kind == "text" and not piece.quoted)
    return "{" in unquoted and ("," in unquoted or ".." in unquoted)


def multiplies(word: Word) -> bool:
    """Return whether braces make more words of this one than anybody needs."""
    unquoted = "".join(piece.text for piece in word.pieces if piece.kind == "text" and not piece.quoted)
    return unquoted.count("{") > _BRACES or bool(_LONG_RANGE.search(unquoted))


def _braces(word: Word) -> list[Arg]:
    if any(piece.kind != "text" or piece.quoted for piece in word.pieces):
        return [Arg(UNKNOWN, known=False, splits=True)]
    texts = list(_alternatives("".join(piece.text for piece in word.pieces)))
    if len(texts) >= _MOST:
        return [Arg(UNKNOWN, known=False, splits=True)]
    return [Arg(text, UNKNOWN not in text, glob=bool(_GLOB.search(text)) or ".." in text) for text in texts]


def _alternatives(text: str) -> Iterator[str]:
    waiting, told = [text], 0
    while waiting and told < _MOST:
        text = waiting.pop()
        found = re.search(r"\{([^{}]*)\}", text)
        if not found or not ("," in found[1] or ".." in found[1]):
            told += 1
            yield text
            continue
        if "," not in found[1]:
            told += 1
            yield UNKNOWN if not re.fullmatch(r"[0-9]+\.\.[0-9]+", found[1]) else text
            continue
        parts = [text[: found.start()] + part + text[found.end() :] for part in found[1].split(",")]
        waiting.extend(reversed(parts[:_MOST]))


def known_names(script: Script) -> Names:
    """Collect what each variable can hold that the text itself assigns; None where that is not known.

    The order of the text is not followed: a loop may come back with what a later line assigned.
    """
    names: Names = {}
    for command in commands(script):
        if isinstance(command, Simple):
            for assignment in command.assignments:
                if command.words:  # it counts for that command alone, whose words are expanded before
                    _add(names, assignment.name, None)
                else:
                    _assign(names, assignment)
            _assigned_by_builtin(names, command)
        elif command.kind in ("for", "select"):
            _loop(names, command)
        elif command.kind in ("count", "arith"):
            _counted(names, command.name)
    return names


def _assign(names: Names, assignment: Assignment) -> None:
    values = expand(assignment.value, {})
    plain = assignment.operator == "=" and not assignment.listed and all(value.known for value in values)
    # An assignment does not expand globs; whoever uses the variable without quotes does.
    _add(
        names,
        assignment.name,
        [value._replace(glob=value.glob or "*" in value.text) for value in values] if plain else None,
    )


def _counted(names: Names, expression: str) -> None:
    """Follow ((i++)) for a variable that holds a number; forget what any other arithmetic assigns."""
    step = STEP.fullmatch(expression)
    if step and names.get(step[1]):
        _add(names, step[1], [_SOME_NUMBER])
    elif re.search(r"(?<![<>=!])=(?!=)|\+\+|--", expression):
        for name in re.findall(r"[A-Za-z_]\w*", expression):
            _add(names, name, None)


def _loop(names: Names, loop: Compound) -> None:
    values = arguments(loop.words, {})
    _add(names, loop.name, values if values and all(value.known for value in values) else None)


def _assigned_by_builtin(names: Names, command: Simple) -> None:
    """Forget every name that a built-in may assign; any word could be one."""
    literal = command.words[0].literal if command.words else None
    if literal in ("read", "printf", "mapfile", "readarray", "getopts", "let", "declare", "local", "typeset", "export",
                   "readonly", "unset", "eval", "source", ".", "wait", "builtin", "command"):  # fmt: skip
        for word in command.words[1:]:
            _add(names, (word.literal or "").split("=")[0], None)


def _add(names: Names, name: str, values: Sequence[Arg] | None) -> None:
    before = names.get(name, [])
    names[name] = None if before is None or values is None else [*before, *values][:_MOST]
