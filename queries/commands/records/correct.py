"""`linetrail correct`: overrule who wrote lines, or what the change was that wrote them; only a person may."""

import argparse
from collections.abc import Mapping
from typing import Any

from linetrail.ledger.errors import UsageError
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.blame.blame import Opened
from linetrail.projections.git import target as targets
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.answers.why.line import span_of
from linetrail.queries.answers.why.text import overruled
from linetrail.queries.record.author import require_person
from linetrail.queries.record.corrections import CLASSES, KINDS, Wish, correct
from linetrail.queries.render.output import add_json, give
from linetrail.queries.render.text import plain

COLUMNS = (
    "field",
    "path",
    "first",
    "last",
    "before",
    "after",
    "agent_name",
    "event_id",
    "revision",
    "reason",
    "person",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "The answer before stays visible in `why`, and the correction is over where somebody changes a line. Of lines "
        "that it says nothing new about, nothing is recorded."
    )
    parser.add_argument("place", metavar="PATH:LINE|PATH:A-B", help="the lines, as `linetrail blame` numbers them")
    parser.add_argument("--by", metavar="WHO", help=f"who wrote them: {', '.join(KINDS)}, or the name of an agent")
    parser.add_argument(
        "--class", dest="mutation_class", metavar="CLASS", help=f"what the change was: {', '.join(CLASSES)}"
    )
    parser.add_argument("--withdraw", action="store_true", help="take back what was corrected of these lines")
    parser.add_argument("--reason", metavar="WORDS", help="why the answer is wrong")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Record what a person says of the lines that the place names."""
    span = span_of(args.place)
    if span is None:
        raise UsageError(f"{args.place} names no lines; write PATH:LINE or PATH:A-B")
    repository = require_ledger(find(args.directory))
    require_person("correct an answer")
    target = targets.find_target(repository, targets.locate(repository, args.directory, span.path), None)
    ledger = Ledger(repository).digest()
    with open_tables(repository) as tables:
        wish = Wish(args.by, args.mutation_class, args.withdraw, args.reason)
        events = correct(repository, target, Opened(ledger, tables), (span.first, span.last), wish)
    rows = [(event.id, *(event.data.get(name) for name in COLUMNS)) for event in events]
    give(
        args,
        Table(("correction_id", *COLUMNS), rows),
        {"root": repository.root},
        lambda: "\n".join(_line(event.data) for event in events),
    )
    return 0


def _line(data: Mapping[str, Any]) -> str:
    last = "" if data["last"] == data["first"] else f"-{data['last']}"
    place = f"{plain(data['path'])}:{data['first']}{last}"
    return f"{place} is corrected: {overruled(data['field'], data['before'], data['after'], data.get('agent_name'))}"
