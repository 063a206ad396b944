"""`linetrail diff`: every line that two revisions differ in, who wrote it, and who took it away."""

import argparse
import sys
from typing import Any

from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.git.diff_sides import Sides, asked_paths, sides
from linetrail.projections.lines.lines import Attribution
from linetrail.projections.survival.diff_lines import ChangedLine, difference
from linetrail.projections.survival.stats import of_range
from linetrail.queries.answers import diff_text
from linetrail.queries.arguments.as_of import add_as_of, asked, meta
from linetrail.queries.render.output import JSON, add_formats, print_rows
from linetrail.queries.render.terminal import coloured

SHALLOW = (
    "warning: this clone is shallow; who wrote or deleted its oldest lines may not be in it (git fetch --unshallow)"
)
RANGE = (
    "A..B compares two revisions, A...B what happened on B since it parted from A, REV a revision with the work tree; "
    "without any, HEAD with the work tree"
)
NAMED = ("change", "path", "old_path", "line_no", "old_line_no", "text")
COLUMNS = (*NAMED, *Attribution._fields, "deleted_by")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `diff`."""
    parser.usage = (
        "%(prog)s [-h] [--as-of EVENT|TIME|REV] [--json|--csv|--nl|--table] [A..B | A...B | REV] [-- PATH ...]"
    )
    parser.epilog = diff_text.LEGEND
    parser.add_argument("range", metavar="RANGE", nargs="?", help=RANGE)
    add_as_of(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Print the difference."""
    repository = require_ledger(find(args.directory))
    between = sides(repository, args.range)
    paths = asked_paths(repository, between, args.directory, args.paths)
    until = asked(repository, args)
    found = difference(repository, between, paths, until)
    if found.cut:
        print(SHALLOW, file=sys.stderr)
    if args.format is None:
        print(diff_text.page(found, colour=coloured(sys.stdout, args.color)))
    else:
        totals = {"totals": dict(of_range(found, "class").totals)} if args.format == JSON else {}
        print_rows(COLUMNS, map(_row, found.lines()), args.format, {**about(between), **totals, **meta(until)})
    return 0


def about(between: Sides) -> dict[str, str | None]:
    """Return which revisions are compared; the later one is null for the work tree."""
    return {"before": between.before, "after": between.after}


def _row(line: ChangedLine) -> tuple[Any, ...]:
    text = line.text.decode("utf-8", "replace")
    deleted_by = line.deleted_by and _deleter(line.deleted_by)
    return (line.change, line.path, line.old_path, line.line_no, line.old_line_no, text, *line.by, deleted_by)


def _deleter(by: Attribution) -> dict[str, Any]:
    named = by._asdict()
    deleted_at = named.pop("written_at")
    del named["mixed"], named["origin_event_id"]  # of a deletion there is neither
    return named | {"deleted_at": deleted_at}
