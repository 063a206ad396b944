"""Divide the width of a terminal among the columns of a table: cut text is marked, numbers are never cut.

A number, a time or a short word is shown whole; a path loses its beginning, other text its end, a heading is broken at
its spaces and underscores. Where that does not fit, columns are left out, from the right where nobody says otherwise:
what counts most stands left.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

GAP = 2
# What is left of a cut column at least: of sentences, and of names and paths.
TEXT, NAME = 16, 20
_NUMBER = re.compile(r"[-+]?\$?\d[\d,.]*(?: ?%|\+)?|-|")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d\S*)?|-")


class Column(NamedTuple):
    """The width that a column wants: of its cells, its heading, and the longest piece of the heading.

    `least` is what of the cells is readable, `last` what is never cut, whatever the width.
    """

    cells: int
    heading: int
    piece: int
    least: int
    last: int


class Layout(NamedTuple):
    """The places of the columns that are shown, and how wide each of them gets."""

    shown: list[int]
    widths: list[int]


def asked(heading: str, cells: Sequence[str], widths: Sequence[int]) -> Column:
    """Return the widths that a column wants, given its cells and the width of each."""
    longest = max(widths, default=0)
    piece = max(map(len, pieces(heading)), default=0)
    if is_whole(cells):
        return Column(longest, len(heading), piece, longest, longest)
    return Column(longest, len(heading), piece, min(longest, NAME if _has_names(cells) else TEXT), 1)


def divide(columns: Sequence[Column], limit: int, dispensable: Sequence[int] = ()) -> Layout:
    """Fit columns into a width: break headings, then cut the widest columns, and drop columns as a last resort.

    What is dispensable goes before the rest, in that order; the first column stays.
    """
    order = [*dispensable, *(at for at in reversed(range(1, len(columns))) if at not in dispensable)]
    shown = list(range(len(columns)))
    while order and _sum([max(columns[at].least, columns[at].piece) for at in shown]) > limit:
        shown.remove(order.pop(0))
    kept = [columns[at] for at in shown]
    widths = [max(column.cells, column.heading) for column in kept]
    for floors in (
        [max(column.cells, column.piece) for column in kept],
        [max(column.least, column.piece) for column in kept],
        [column.last for column in kept],
    ):
        while _sum(widths) > limit:
            spare = [width if width > floor else 0 for width, floor in zip(widths, floors, strict=True)]
            if not any(spare):
                break
            widths[spare.index(max(spare))] -= 1
    return Layout(shown, widths)


def pieces(heading: str) -> list[str]:
    """Return the pieces into which a heading may be broken.

    >>> pieces("lines_added"), pieces("time (UTC)")
    (['lines_', 'added'], ['time ', '(UTC)'])
    """
    return re.findall(r"[^_ ]+[_ ]?", heading)


def broken(heading: str, width: int) -> list[str]:
    """Break a heading into lines that fit.

    >>> broken("cache_read_input_tokens", 12)
    ['cache_read_', 'input_tokens']
    """
    lines = [""]
    for piece in pieces(heading):
        if lines[-1] and len(f"{lines[-1]}{piece}".rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


def is_whole(cells: Sequence[str]) -> bool:
    """Return whether all cells are numbers, amounts or times, which cutting would falsify."""
    return all(_NUMBER.fullmatch(cell.strip()) or _MOMENT.fullmatch(cell) for cell in cells)


def is_path(cell: str) -> bool:
    """Return whether a cell ends in a path, whose end says more than its beginning.

    >>> is_path("src/a.py"), is_path("deny src/a.py"), is_path("and/or so"), is_path("https://example.org/")
    (True, True, False, False)
    """
    last = cell.rpartition(" ")[2]
    return "/" in last and "://" not in last


def _has_names(cells: Sequence[str]) -> bool:
    return any(map(is_path, cells)) or not any(" " in cell for cell in cells)


def _sum(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)
