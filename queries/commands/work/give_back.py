"""`linetrail give-back`: freeze the work for an intent, run its checks, and write down what it changes."""

import argparse

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.tables.table import Table
from linetrail.queries.arguments import prefixes
from linetrail.queries.render.output import Answer, add_json
from linetrail.queries.render.text import counted, plain
from linetrail.queries.work import give_back, states
from linetrail.queries.work.give_back import Returned


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "What is not committed in the worktree is committed first. The exit status is 1 where something stands against "
        "the work: a file outside of its scope, a check that fails, or no change at all."
    )
    parser.add_argument("intent_id", metavar="INT", help="an id or its first characters")
    parser.add_argument("--abandon", action="store_true", help="give the work up instead; its branch and worktree stay")
    parser.add_argument("--reason", metavar="TEXT", help="of --abandon: why")
    add_json(parser)


def answer(args: argparse.Namespace) -> Answer:
    main = states.home(require_ledger(find(args.directory)))
    intent_id = prefixes.intent(main, args.intent_id)
    if args.reason and not args.abandon:
        raise UsageError("--reason says why work is abandoned; give --abandon, too")
    if args.abandon:
        give_back.abandon(main, intent_id, args.reason)
        table = Table(("intent_id", "state"), [(intent_id, states.ABANDONED)])
        return Answer(table, {}, lambda: f"{intent_id} is abandoned; its branch stays")
    returned = give_back.give_back(main, intent_id)
    told = give_back.record(returned)
    table = Table(tuple(told), [tuple(told.values())])
    return Answer(table, {"root": main.root}, lambda: "\n".join(_lines(returned)), 1 if returned.findings else 0)


def _lines(returned: Returned) -> list[str]:
    passed = sum(check.passed for check in returned.checks)
    lines = [
        f"{returned.intent_id}: {counted(len(returned.files), 'file')} on {returned.branch} at {returned.head[:12]}"
    ]
    lines += [f"{passed} of {counted(len(returned.checks), 'check')} passed"] if returned.checks else []
    lines += [f"{finding.code}: {plain(finding.message)}" for finding in returned.findings]
    mend = "mend that and give back again, or " if returned.findings else ""
    land = f"linetrail land {returned.intent_id}{' --accept' if returned.findings else ''}"
    return [*lines, f"report: {plain(returned.report)}", f"next: {mend}{land}"]
