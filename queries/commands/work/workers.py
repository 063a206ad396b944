"""`linetrail workers`: who works on which intent, how far, where, and who may meet whom."""

import argparse
import contextlib
import sys
import time

from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.queries.arguments.numbers import whole
from linetrail.queries.render.output import add_json, give
from linetrail.queries.render.text import counted, plain, table_of, timestamp
from linetrail.queries.work import states, workers
from linetrail.queries.work.workers import Worker

SECONDS = 2.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `workers`."""
    parser.add_argument(
        "--stalled-after", metavar="MINUTES", type=whole(0, 100_000), default=workers.MINUTES,
        help=f"who was not heard of for so long has stalled (default: {workers.MINUTES})",
    )  # fmt: skip
    parser.add_argument("--watch", action="store_true", help="look again until Ctrl-C, and print what is different")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the work for each open intent."""
    main = states.home(require_ledger(find(args.directory)))
    before = _print(main, args, None)
    with contextlib.suppress(KeyboardInterrupt):
        while args.watch:
            time.sleep(SECONDS)
            before = _print(main, args, before)
    return 0


def _print(main: Repository, args: argparse.Namespace, before: list[Worker] | None) -> list[Worker]:
    found = workers.workers(main, args.stalled_after)
    if found != before:
        table = table_of({name: name for name in Worker._fields}, found)
        none = "no intent is open; linetrail intents add makes one"
        give(args, table, {"root": main.root}, lambda: "\n".join(line for one in found for line in _lines(one)) or none)
        sys.stdout.flush()
    return found


def _lines(one: Worker) -> list[str]:
    heard = f"  {timestamp(one.last_event_at)[:16]}" if one.last_event_at else ""
    who = f"  {one.agent_name} {plain(one.session_id)}" if one.agent_name else ""
    files = f"  {counted(len(one.files), 'file')}" if one.files else ""
    waits = f"  waits for {', '.join(one.waits_for)}" if one.waits_for else ""
    lines = [f"{one.intent_id}  {one.state:10}  {plain(one.name)}{heard}{who}{files}{waits}"]
    lines += [f"  {plain(one.reason)}"] if one.reason else []
    lines += [f"  meets {intent_id} in {', '.join(map(plain, files))}" for intent_id, files in one.meets.items()]
    return lines + ([f"  wrote outside of its worktree: {', '.join(map(plain, one.outside))}"] if one.outside else [])
