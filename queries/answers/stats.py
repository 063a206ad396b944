"""Count the lines that people and agents wrote and deleted, and lay the counts out for a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.repository import Repository, head
from linetrail.projections.git.diff_sides import Sides, asked_paths, commit
from linetrail.projections.git.target import TargetError
from linetrail.projections.survival import stats as counts
from linetrail.projections.survival.stats import Counted
from linetrail.projections.tables.prefix import Cut
from linetrail.projections.tables.progress import working
from linetrail.projections.tables.table import Table
from linetrail.queries.answers.diff import diff
from linetrail.queries.render.output import terminal_width
from linetrail.queries.render.text import counted, text_table

LEGEND = (
    "Of a range: the lines that came (added, by who wrote them), those that went by who deleted them (deleted) and by "
    "whose they were (lost), and below who deleted whose. Lines that were only moved or re-indented count as neither. "
    "Without a range: who wrote the lines of all tracked files as HEAD has them; presumed are those for which git "
    "alone speaks."
)


class Stats(NamedTuple):
    """Counts of the lines in which two revisions differ; equal sides stand for all lines of one revision.

    `cut` says that a shallow clone hides who wrote some of it.
    """

    counted: Counted
    sides: Sides
    cut: bool = False


def stats_of_range(
    repository: Repository,
    text: str,
    *,
    by: str = "class",
    paths: Sequence[str] = (),
    directory: str | None = None,
    until: Cut | None = None,
) -> Stats:
    """Count the lines that a range added and deleted, by the kind of author and by `by`."""
    found = diff(repository, text, paths=paths, directory=directory, until=until)
    return Stats(counts.of_range(found, by), found.sides, found.cut)


def stats_of_tree(
    repository: Repository,
    revision: str | None = None,
    *,
    by: str = "class",
    paths: Sequence[str] = (),
    directory: str | None = None,
    until: Cut | None = None,
) -> Stats:
    """Count all lines that a commit holds, HEAD unless another one is named, by the kind of author and by `by`."""
    name = _head(repository) if revision is None else commit(repository, revision)
    both = Sides(name, name)
    files = counts.tree(repository, name, asked_paths(repository, both, directory or repository.root, paths))
    with working("blaming", sum(file.size for file in files)) as advance:
        return Stats(counts.of_tree(counts.held(repository, name, files, until, advance), by), both)


def range_page(found: Counted) -> str:
    """Return the counts of a range as text: a row for each author, then who deleted whose lines."""
    names = found.table.columns[:-4]
    rows = [row[:-1] for row in found.table.rows]
    totals = found.totals
    sums = ("total", *[""] * (len(names) - 1), totals["added"], totals["deleted"], totals["deleted"])
    parts = [_table((*found.table.columns[:-1],), [*rows, sums])]
    if totals["deleted"]:
        parts.append("deleted lines, whose they were and who deleted them\n" + _matrix(names, found.table))
    moved = f", {counted(_number(totals['moved']), 'line')} moved" if totals["moved"] else ""
    parts.append(f"{counted(_number(totals['files']), 'file')}{moved}{_left_out(totals)}")
    return "\n\n".join(parts)


def tree_page(found: Counted) -> str:
    """Return the counts of a revision as text: who wrote the lines that it has."""
    totals = found.totals
    names = found.table.columns[:-4]
    rows = [(*row[:-1], _percent(row[-4], _number(totals["lines"]))) for row in found.table.rows]
    sums = ("total", *[""] * (len(names) - 1), totals["lines"], *(sum(row[at] for row in rows) for at in (-3, -2)), "")
    known = _percent(_number(totals["known"]), _number(totals["lines"])) or "-"
    recorded = _percent(_number(totals["recorded"]), _number(totals["lines"])) or "-"
    doubts = [f"{counted(_number(totals[what]), 'line')} {what}" for what in ("doubtful", "disproved") if totals[what]]
    shares = f"{known} of the lines known, {recorded} recorded" + (f" ({', '.join(doubts)})" if doubts else "")
    if totals["noted"]:
        shares += f", {_percent(_number(totals['noted']), _number(totals['lines']))} noted by other tools"
    summary = f"{counted(_number(totals['files']), 'file')}, {shares}{_left_out(totals)}"
    return "\n\n".join([_table(found.table.columns, [*rows, sums]), summary])


def _matrix(names: Sequence[str], table: Table) -> str:
    """Return who deleted whose lines: a row for each author, a column for each deleter."""
    lost = [(row[: len(names)], {_label(names, to): to["lines"] for to in row[-1]}) for row in table.rows if row[-1]]
    deleters = sorted({name for _, taken in lost for name in taken})
    rows = [
        (" ".join(str(value or "-") for value in key), *(taken.get(name, 0) for name in deleters))
        for key, taken in lost
    ]
    return _table(("of", *(f"by {name}" for name in deleters)), rows)


def _label(names: Sequence[str], record: Mapping[str, Any]) -> str:
    return " ".join(str(record[name] or "-") for name in names)


def _table(columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]]) -> str:
    return text_table(Table(columns, rows), width=terminal_width())


def _left_out(totals: Mapping[str, object]) -> str:
    left_out = totals["left_out"]
    if not isinstance(left_out, list) or not left_out:
        return ""
    kinds = sorted({kind for _, kind in left_out})
    return f"; {counted(len(left_out), 'file')} without lines to count ({', '.join(kinds)})"


def _percent(part: int, whole: int) -> str:
    """Return a share as a percentage, rounded down as in `blame`: only all of it is 100%."""
    return f"{100 * part // whole}%" if whole else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _head(repository: Repository) -> str:
    now = head(repository)
    if now is None or now.revision is None:
        raise TargetError(f"nothing is committed yet in {repository.root}", "linetrail diff")
    return now.revision
