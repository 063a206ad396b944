"""`linetrail land`: merge what was given back, one after another; what fails is evicted and stays open."""

import argparse
import os

from linetrail.ledger.intents.criteria import MOST_SECONDS, SECONDS, Check
from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.tables.table import Table
from linetrail.queries.arguments import prefixes
from linetrail.queries.arguments.numbers import whole
from linetrail.queries.record.author import require_person
from linetrail.queries.render.output import Answer, add_json
from linetrail.queries.render.text import plain
from linetrail.queries.work import land, states
from linetrail.queries.work.land import Outcome
from linetrail.queries.work.states import LANDED


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Each line and definition of both sides has to be in the merge, or deleted by one of them. The branch moves "
        "only from the commit that was merged; a checkout with changes is not touched. The exit status is 1 where work "
        "was evicted."
    )
    parser.add_argument("intent_ids", metavar="INT", nargs="*", help="default: all that was given back")
    parser.add_argument("--check", metavar="CMD", help="a command that has to end with 0 in a worktree of the merge")
    limit = f"how long it may take (default: {SECONDS})"
    parser.add_argument("--seconds", metavar="N", type=whole(1, MOST_SECONDS), default=SECONDS, help=limit)
    parser.add_argument("--accept", action="store_true", help="land it with its findings: a person has looked at them")
    add_json(parser)


def answer(args: argparse.Namespace) -> Answer:
    main = states.home(require_ledger(find(args.directory)))
    if args.accept:
        require_person("accept findings")
    check = Check(args.check, args.check, args.seconds) if args.check else None
    wanted = [prefixes.intent(main, text) for text in args.intent_ids]
    found = land.land(main, wanted, check=check, accept=args.accept)
    evicted = sum(one.outcome != LANDED for one in found)
    lines = [line for one in found for line in _lines(one)] or [
        "nothing was given back; linetrail workers shows who works"
    ]
    table = Table(Outcome._fields, [tuple(land.record(one).values()) for one in found])
    return Answer(table, {"root": main.root, "evicted": evicted}, lambda: "\n".join(lines), 1 if evicted else 0)


def _lines(one: Outcome) -> list[str]:
    if one.outcome == LANDED:
        landed = f"{one.intent_id} landed on {one.target} as {(one.revision or '')[:12]}"
        return [f"{landed}; next: linetrail intents done {one.intent_id}"]
    suspects = f"; look at {', '.join(one.suspects)}" if one.suspects else ""
    place = os.path.basename(one.context or "")
    behind = [f"  {plain(each.sentence)}" for each in one.verdicts[:1]]
    return [
        f"{one.intent_id} was evicted: {plain(one.reason)}{suspects}",
        *behind,
        f"  {place}: {plain(one.context)}; next: linetrail start {one.intent_id}",
    ]
