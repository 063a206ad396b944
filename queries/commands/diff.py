"""`linetrail diff`: every line that two revisions differ in, who wrote it, and who took it away."""

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.diff_lines import ChangedLine, Difference, difference
from linetrail.projections.diff_sides import Sides, asked_paths, sides
from linetrail.projections.lines import Attribution
from linetrail.projections.stats import of_range
from linetrail.projections.tables import Table
from linetrail.queries import diff_text
from linetrail.queries.as_of import add_as_of, asked, meta
from linetrail.queries.render import coloured, document, json_lines

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
    parser.usage = "%(prog)s [-h] [--as-of EVENT|TIME|REV] [--json] [A..B | A...B | REV] [-- PATH ...]"
    parser.epilog = diff_text.LEGEND
    parser.add_argument("range", metavar="RANGE", nargs="?", help=RANGE)
    add_as_of(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print the difference."""
    repository = require_ledger(find(args.directory))
    between = sides(repository, args.range)
    paths = asked_paths(repository, between, args.directory, args.paths)
    until = asked(repository, args)
    found = difference(repository, between, paths, until)
    if found.cut:
        print(SHALLOW, file=sys.stderr)
    if args.json:
        totals = dict(of_range(found, "class").totals)
        _print_json(found, {**about(between), "totals": totals, **meta(until)})
    else:
        print(diff_text.page(found, colour=coloured(sys.stdout)))
    return 0


def about(between: Sides) -> dict[str, str | None]:
    """Return which revisions are compared; the later one is null for the work tree."""
    return {"before": between.before, "after": between.after}


def _print_json(found: Difference, said: Mapping[str, object]) -> None:
    """Print the one document a row at a time: a difference may be larger than what fits the memory as text."""
    empty = "[]\n}"
    separator = document(Table(COLUMNS, ()), said).removesuffix(empty) + "[\n"
    for line in found.lines():
        sys.stdout.write(separator + json_lines(Table(COLUMNS, [_row(line)])))
        separator = ",\n"
    sys.stdout.write("\n]\n}\n" if separator == ",\n" else f"{separator}]\n}}\n")


def _row(line: ChangedLine) -> tuple[Any, ...]:
    text = line.text.decode("utf-8", "replace")
    deleted_by = line.deleted_by and _deleter(line.deleted_by)
    return (line.change, line.path, line.old_path, line.line_no, line.old_line_no, text, *line.by, deleted_by)


def _deleter(by: Attribution) -> dict[str, Any]:
    named = by._asdict()
    deleted_at = named.pop("written_at")
    del named["mixed"], named["origin_event_id"]  # of a deletion there is neither
    return named | {"deleted_at": deleted_at}
