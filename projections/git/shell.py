"""Spell a command so that a person can paste it into a shell."""

import os
import shlex
from collections.abc import Iterable


def command(words: Iterable[str]) -> str:
    r"""Join words as a shell takes them apart; what has no sign of its own is escaped byte by byte.

    >>> print(command(["linetrail", "why", "it's.py:1"]), "|", command(["rm", "tab\there.py"]))
    linetrail why 'it'"'"'s.py:1' | rm $'tab\011here.py'
    """
    return " ".join(map(_quoted, words))


def operand(path: str) -> str:
    """Return a path that no program takes for an option."""
    return os.path.join(os.curdir, path) if path.startswith("-") else path


def _quoted(word: str) -> str:
    return shlex.quote(word) if word.isprintable() else f"$'{''.join(map(_escaped, os.fsencode(word)))}'"


def _escaped(byte: int) -> str:
    sign = chr(byte)
    # three digits of octal: of hexadecimal ones, shells do not agree how many there are
    return sign if sign.isascii() and sign.isprintable() and sign not in "'\\" else f"\\{byte:03o}"
