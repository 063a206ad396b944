"""`linetrail arbitrate`: lay two works beside each other, and record which goes first and why."""

import argparse

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.tables.table import Table
from linetrail.queries.arguments import prefixes
from linetrail.queries.render.output import Answer, add_json
from linetrail.queries.render.text import counted, plain
from linetrail.queries.work import arbitrate, states
from linetrail.queries.work.arbitrate import Case, Side

COLUMNS = ("intent_id", "name", "state", "branch", "head", "scope", "files")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Without --for only the facts are printed, for a person or an agent that has no part in it. With it the answer "
        "is a decision and a lesson, and the other work goes back with both in its brief."
    )
    parser.add_argument("one", metavar="A", help="an intent at work")
    parser.add_argument("other", metavar="B", help="another one")
    parser.add_argument("--for", dest="winner", metavar="INT", help="the one that goes first")
    parser.add_argument("--why", metavar="TEXT", help="the reason")
    add_json(parser)


def answer(args: argparse.Namespace) -> Answer:
    main = states.home(require_ledger(find(args.directory)))
    one, other = prefixes.intent(main, args.one), prefixes.intent(main, args.other)
    winner = args.winner and prefixes.intent(main, args.winner)
    if one == other or winner not in (None, one, other):
        raise UsageError("name two intents, and with --for one of them")
    if bool(winner) != bool((args.why or "").strip()):
        raise UsageError("--for names who goes first and --why says why; give both")
    facts = arbitrate.case(main, one, other)
    decision_id = arbitrate.decide(main, facts, winner, args.why) if winner else None
    told = {"files": list(facts.shared), "conflicts": list(facts.conflicts), "decision_id": decision_id}
    table = Table(COLUMNS, [_row(side) for side in (facts.one, facts.other)])
    lines = [f"{winner} goes first, as {decision_id} says"] if decision_id else _lines(facts)
    return Answer(table, told | {"hunks": facts.hunks}, lambda: "\n".join(lines))


def _row(side: Side) -> tuple[object, ...]:
    one = side.intent
    return one.id, one.name, side.work.state, side.work.branch, side.head, list(one.scope), list(side.files)


def _lines(facts: Case) -> list[str]:
    lines = []
    for side in (facts.one, facts.other):
        files = counted(len(side.files), "file")
        lines += [f"{side.intent.id} {plain(side.intent.name)}: {side.work.state}, {files} on {side.work.branch}"]
    lines += [f"both change {', '.join(map(plain, facts.shared))}" if facts.shared else "they share no file"]
    lines += [f"git cannot merge {', '.join(map(plain, facts.conflicts))}"] if facts.conflicts else ["git merges them"]
    lines += [plain(line) for line in facts.hunks.splitlines()]
    pair = f"{facts.one.intent.id} {facts.other.intent.id}"
    return [*lines, f"next: linetrail arbitrate {pair} --for {facts.one.intent.id} --why TEXT"]
