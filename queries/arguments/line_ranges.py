"""Read `-L` as `git blame` does: `10,20`, `10,+5`, `20,-5`, `10,`, `,20`, `10`; the rest git itself reads."""

import re
from collections.abc import Sequence
from contextlib import closing

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository
from linetrail.projections.git.target import Target

_RANGE = re.compile(r"(\d*)(?:,([+-]?\d+)?)?")


def needs_git(texts: Sequence[str]) -> bool:
    """Return whether any range names a function or a pattern.

    >>> needs_git(["1,5"]), needs_git(["1,5", ":main"])
    (False, True)
    """
    return any(sign in text for text in texts for sign in "/:^")


def chosen(texts: Sequence[str] | None, length: int, path: str) -> list[int]:
    """Return the line numbers in all ranges together, in order; every line when there is no range.

    >>> chosen(["2,+2", "3,9"], 5, "a.py")
    [2, 3, 4, 5]
    """
    if not texts:
        return list(range(1, length + 1))
    return sorted({number for text in texts for number in _numbers(text, length, path)})


def as_numbers(repository: Repository, target: Target, ranges: Sequence[str]) -> list[str]:
    """Return ranges with line numbers in place of names that the file defines once; git reads the others."""
    from linetrail.projections.nodes.index import DefinitionIndex  # these read the syntax of the file
    from linetrail.projections.nodes.lookup import SymbolError, in_file

    with closing(DefinitionIndex(repository)) as indexed:
        side = indexed.side(target.path, target.content)

    def numbers(text: str) -> str:
        try:
            definition = in_file(side, text[1:]).definition
        except SymbolError:
            return text
        return f"{definition.start_line},{definition.end_line}"

    return [numbers(text) if text.startswith(":") else text for text in ranges]


def _numbers(text: str, length: int, path: str) -> range:
    found = _RANGE.fullmatch(text)
    if found is None or not text.strip(","):
        raise UsageError(f"-L {text} is not a range; write -L 10,20, -L 10,+5, -L :function or -L /pattern/,+5")
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
