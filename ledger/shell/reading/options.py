"""Take the arguments of a program apart by what it is known to understand.

An option that is not listed is unknown, also where the program would take it for the beginning of a listed one.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from linetrail.ledger.shell.reading.values import Arg

_OPTION = re.compile(r"-[^0-9]")
_NUMERIC = re.compile(r"[-+][0-9]+[bkmcl]?")


class Known(NamedTuple):
    """Options that only say what to read and how to show it.

    `flags` and `valued` are letters without and with a value; `long` are names with spaces between them, `name=` where
    a value may follow. Names are taken apart where they are asked for: most tables stand unused behind a command.
    """

    flags: str = ""
    valued: str = ""
    long: str = ""
    numeric: bool = False
    # letters whose value is taken as it stands, whatever it looks like
    verbatim: str = ""


class Taken(NamedTuple):
    """`unknown` is the first option that is not known; `late` that an option stands behind an operand.

    Whether a late option is one depends on the program, the system and the environment.
    """

    operands: list[Arg]
    values: list[tuple[str, Arg]]
    flags: set[str]
    unknown: str | None = None
    late: bool = False


def take(args: Sequence[Arg], options: Known, *, permute: bool = True) -> Taken:
    """Sort arguments into operands, flags and values; `permute` where options may stand behind operands."""
    operands, values, flags = list[Arg](), list[tuple[str, Arg]](), set[str]()
    at, late = 0, False
    while at < len(args):
        arg, at = args[at], at + 1
        text = arg.text
        if text == "--":
            operands.extend(args[at:])
            break
        if not text.startswith("-") or text == "-":
            operands.append(arg)
            if not permute:
                operands.extend(args[at:])
                break
            continue
        late = late or bool(operands)
        if options.numeric and _NUMERIC.fullmatch(text):
            continue
        taken = _long(text, options) if text.startswith("--") else _short(text, options)
        if taken is None or not arg.known:
            return Taken(operands, values, flags, text)
        names, value, wants = taken
        flags.update(names)
        if wants and value is None:
            # Where the program takes the value only glued to the letter, the next word is an option of its own.
            if at >= len(args) or (_OPTION.match(args[at].text) and names[-1] not in options.verbatim):
                return Taken(operands, values, flags, text)
            values.append((names[-1], args[at]))
            at += 1
        elif value is not None:
            values.append((names[-1], arg._replace(text=value)))
    return Taken(operands, values, flags, None, late)


def sure(args: list[Arg]) -> bool:
    """Return whether no word can turn into an option that is not seen here."""
    return all(arg.known and not arg.splits and not (arg.glob and arg.text[:1] in "*?[") for arg in args)


def end(texts: list[str]) -> int:
    """Return how many words may be options."""
    return texts.index("--") if "--" in texts else len(texts)


def _long(text: str, options: Known) -> tuple[list[str], str | None, bool] | None:
    name, equals, value = text[2:].partition("=")
    listed = options.long.split()
    if name + "=" in listed:
        return [name], value if equals else None, True
    if name + "?" in listed:  # a value only behind the equals sign
        return [name], value if equals else None, False
    return ([name], None, False) if name in listed and not equals else None


def _short(text: str, options: Known) -> tuple[list[str], str | None, bool] | None:
    names = list[str]()
    for place, letter in enumerate(text[1:], 2):
        names.append(letter)
        if letter in options.valued:
            return names, text[place:] or None, True
        if letter not in options.flags:
            return None
    return names, None, False
