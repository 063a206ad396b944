"""Versions of libraries, compared by their numbers, and the lowest version that a range lets in.

One reading for all registries, so it is not the whole of any: what is not understood is unknown, never guessed.
"""

import re
from typing import NamedTuple

LONGEST = 1000

# An order among versions: epoch, numbers without zeros at the end, then pre-release, release or what came after it.
Version = tuple[int, tuple[int, ...], tuple[int, tuple[tuple[int, int, str], ...]]]

_VERSION = re.compile(r"[vV]?(?:(\d{1,9})!)?(\d{1,18}(?:\.\d{1,18})*)((?:[-_.]?[A-Za-z]|-\d)[0-9A-Za-z._-]*)?(?:\+.*)?")
_COMPARATOR = re.compile(r"(\^|~>|~=|~|>=|<=|>|<|===|==|=|!=)?\s*((?:\d{1,9}!)?[^\s,<>=!~^]+)")
_HYPHEN = re.compile(r"(\S+)\s+-\s+(\S+)")
_WORDS = re.compile(r"\d+|[a-z]+")
_WILD = re.compile(r"(?:\.[*xX])+")
_RELEASE = {"final", "ga", "release", "jre", "android"}
_LATER = {"post", "rev", "r", "sp", "patch", "pl", "p"}
_SPELLINGS = {"alpha": "a", "beta": "b", "c": "rc", "cr": "rc", "pre": "rc", "preview": "rc", "snapshot": "dev"}


class Range(NamedTuple):
    """What a manifest admits: `lowest` is None where any version will do, and `above` where it is itself left out."""

    lowest: Version | None
    above: bool = False
    pinned: bool = False


ANY = Range(None)


def version(text: str) -> Version | None:
    """Read one version; None when it is none.

    >>> version("5.0") == version("v5.0.0") > version("5.0.0-rc.1") > version("5.0.0a2") > version("4.10")
    True
    """
    found = _VERSION.fullmatch(text.strip()) if len(text) <= LONGEST else None
    if found is None:
        return None
    numbers = [int(number) for number in found[2].split(".")]
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return int(found[1] or 0), tuple(numbers), _stage(found[3] or "")


def admitted(text: str, bare: str = "exact") -> Range | None:
    """Return what a range admits; None when that cannot be told.

    `bare` is what a version without a sign means: `exact`; `caret` as in Cargo; `partial` as in npm, where `5.1` is
    every 5.1.

    >>> admitted("^4.9").lowest == version("4.9.0"), admitted("*").lowest, admitted("git+https://x")
    (True, None, None)
    """
    text = text.strip()
    if len(text) > LONGEST or text in ("workspace:*", "workspace:^", "workspace:~"):
        return None
    text = text.removeprefix("workspace:")
    if text[:1] in ("[", "(") and text[-1:] in ("]", ")"):
        return _interval(text)
    found = [_all_of(_HYPHEN.sub(r">=\1 <=\2", part), bare) for part in re.split(r"\|\|?", text)]
    if any(one is None for one in found):
        return None
    return min((one for one in found if one is not None), key=_order)


def _all_of(text: str, bare: str) -> Range | None:
    """Return the narrowest of conditions that hold together."""
    conditions = _COMPARATOR.findall(text)
    rest = _COMPARATOR.sub("", text).replace(",", "").strip()
    if rest:
        return None
    ranges = [_condition(sign, operand.partition("@")[0], bare) for sign, operand in conditions]
    if any(one is None for one in ranges):
        return None
    narrowest = max((one for one in ranges if one is not None), key=_order, default=ANY)
    return narrowest._replace(pinned=any(one is not None and one.pinned for one in ranges))


def _condition(sign: str, operand: str, bare: str) -> Range | None:
    if operand in ("*", "x", "X", ""):
        return ANY
    wild = _WILD.search(operand)
    lowest = version(operand[: wild.start()] if wild else operand)
    if lowest is None:
        return None
    if sign in ("<", "<=", "!="):
        return ANY
    parts = operand.count(".") + 1
    pinned = not wild and (sign in ("==", "===") or (sign in ("", "=") and (bare == "exact" or parts > 2)))
    return Range(lowest, above=sign == ">", pinned=pinned and not (sign == "" and bare == "caret"))


def _interval(text: str) -> Range | None:
    """Read the first interval of Maven and NuGet: `[1.0,2.0)`, `[1.0]`, `(,1.0]`."""
    body = re.split(r"[\])]", text[1:], maxsplit=1)[0]
    low, comma, _ = body.partition(",")
    if not low.strip():
        return ANY if comma else None
    lowest = version(low)
    return None if lowest is None else Range(lowest, above=text[0] == "(", pinned=not comma)


def _order(one: Range) -> tuple[bool, Version | tuple[()], bool]:
    return one.lowest is not None, one.lowest or (), one.above


def _stage(text: str) -> tuple[int, tuple[tuple[int, int, str], ...]]:
    words = [_SPELLINGS.get(word, word) for word in _WORDS.findall(text.lower())]
    if not words or words[0] in _RELEASE:
        return 1, ()
    parts = tuple((1, int(word[:18]), "") if word.isdigit() else (0 if word == "dev" else 2, 0, word) for word in words)
    return (2, parts[1:]) if words[0] in _LATER else (0, parts)
