"""Read `-L` as `git blame` does: `10,20`, `10,+5`, `20,-5`, `10,`, `,20`, `10`."""

import re
from collections.abc import Sequence

from linetrail.ledger.errors import UsageError

_RANGE = re.compile(r"(\d*)(?:,([+-]?\d+)?)?")


def chosen(texts: Sequence[str] | None, length: int, path: str) -> list[int]:
    """Return the line numbers that all ranges together name, in order; every line where there is no range.

    >>> chosen(["2,+2", "3,9"], 5, "a.py")
    [2, 3, 4, 5]
    """
    if not texts:
        return list(range(1, length + 1))
    return sorted({number for text in texts for number in _numbers(text, length, path)})


def _numbers(text: str, length: int, path: str) -> range:
    if text.startswith((":", "/", "^")):
        raise UsageError(f"-L {text}: functions and patterns are not understood yet; give line numbers, as in -L 10,20")
    found = _RANGE.fullmatch(text)
    if found is None or not text.strip(","):
        raise UsageError(f"-L {text} is not a range; give line numbers, as in -L 10,20 or -L 10,+5")
    first, last = found[1], found[2]
    start = int(first) if first else 1
    if start == 0 or (last is not None and int(last) == 0):
        raise UsageError(f"-L {text}: lines are counted from 1")
    if start > length:
        raise UsageError(f"-L {text}: {path} has only {length} lines")
    stop = length if last is None else start + int(last) - _sign(last) if last[0] in "+-" else int(last)
    return range(max(min(start, stop), 1), min(max(start, stop), length) + 1)


def _sign(offset: str) -> int:
    return 1 if offset[0] == "+" else -1
