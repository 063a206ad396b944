"""Compare two revisions: who wrote and who deleted each line that differs."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from linetrail.ledger.repository import Repository
from linetrail.projections.git.diff_sides import Sides, asked_paths, sides
from linetrail.projections.lines.attribution import Attribution
from linetrail.projections.survival.diff_lines import ChangedLine, Difference, difference
from linetrail.projections.tables.prefix import Cut

SHALLOW = (
    "warning: this clone is shallow; who wrote or deleted its oldest lines may not be in it (git fetch --unshallow)"
)
RANGE = (
    "A..B, or A B, compares two revisions, A...B what happened on B since it parted from A, REV a revision with the "
    "work tree; without any, HEAD with the work tree"
)
COLUMNS = (
    *("change", "path", "old_path", "line_no", "old_line_no", "text"),
    *(*Attribution._fields, "deleted_by"),
)


def diff(
    repository: Repository,
    text: str | None = None,
    *,
    paths: Sequence[str] = (),
    directory: str | None = None,
    until: Cut | None = None,
) -> Difference:
    """Return the difference that a range names; `paths` are as typed in `directory`, which is the root by default."""
    between = sides(repository, text)
    inside = asked_paths(repository, between, directory or repository.root, paths)
    return difference(repository, between, inside, until)


def rows(lines: Iterable[ChangedLine]) -> Iterator[tuple[Any, ...]]:
    """Yield a row of COLUMNS for each line; `deleted_by` is a record of its own, with `deleted_at`."""
    for line in lines:
        text = line.text.decode("utf-8", "replace")
        deleted_by = line.deleted_by and _deleter(line.deleted_by)
        yield line.change, line.path, line.old_path, line.line_no, line.old_line_no, text, *line.by, deleted_by


def about(between: Sides) -> dict[str, str | None]:
    """Return which revisions are compared; the later one is null for the work tree."""
    return {"before": between.before, "after": between.after}


def _deleter(by: Attribution) -> dict[str, Any]:
    named = by._asdict()
    deleted_at = named.pop("written_at")
    del named["mixed"], named["origin_event_id"]  # of a deletion there is neither
    return named | {"deleted_at": deleted_at}
