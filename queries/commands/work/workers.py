"""`linetrail workers`: who works on which intent, how far, where, and who may meet whom."""

import argparse
import contextlib
import os
import sys
import time

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import find, require_ledger, stored_path
from linetrail.projections.tables.table import Table
from linetrail.queries.arguments.numbers import whole
from linetrail.queries.record.author import require_person
from linetrail.queries.render.output import Answer, add_json, show
from linetrail.queries.render.text import counted, plain, table_of, timestamp
from linetrail.queries.work import leases, states, workers
from linetrail.queries.work.workers import Worker

SECONDS = 2.0


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--stalled-after", metavar="MINUTES", type=whole(0, 100_000), default=workers.MINUTES,
        help=f"who was not heard of for so long has stalled (default: {workers.MINUTES})",
    )  # fmt: skip
    about = "let others write this file though a session at work wrote it first in its worktree"
    parser.add_argument("--break", dest="broken", metavar="LEASED", help=about)
    parser.add_argument("--reason", metavar="TEXT", help="of --break: why; kept in the ledger")
    parser.add_argument("--watch", action="store_true", help="look again until Ctrl-C, and print what is different")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the work for each open intent, or which lease is broken; with --watch again where it is different."""
    found = answer(args)
    show(args, found)
    with contextlib.suppress(KeyboardInterrupt):
        while args.watch:
            sys.stdout.flush()
            time.sleep(SECONDS)
            before, found = found, answer(args)
            if found.table != before.table:
                show(args, found)
    return found.status


def answer(args: argparse.Namespace) -> Answer:
    """Return the work for each open intent, or the lease that is broken."""
    if args.broken is not None or args.reason is not None:
        return _broken(args)
    main = states.home(require_ledger(find(args.directory)))
    found = workers.workers(main, args.stalled_after)
    none = "no intent is open; linetrail intents add makes one"
    table = table_of({name: name for name in Worker._fields}, found)
    return Answer(table, {"root": main.root}, lambda: "\n".join(line for one in found for line in _lines(one)) or none)


def _broken(args: argparse.Namespace) -> Answer:
    if args.watch or args.broken is None or not (args.reason or "").strip():
        raise UsageError("a lease is broken for a reason: --break PATH --reason TEXT, without --watch")
    require_person("break a lease")
    repository = require_ledger(find(args.directory))
    inside = repository.relative(os.path.join(args.directory, args.broken))
    held = {lease.path for lease in leases.leases(repository)}
    path = inside if inside in held else stored_path(args.broken)
    broken = leases.break_lease(repository, path, args.reason)
    row = (broken.path, broken.intent_id, broken.session_id, args.reason)
    said = f"{plain(broken.path)} is free; session {plain(broken.session_id)} wrote it for {broken.intent_id}"
    return Answer(Table(("path", "intent_id", "session_id", "reason"), [row]), {"root": repository.root}, lambda: said)


def _lines(one: Worker) -> list[str]:
    heard = f"  {timestamp(one.last_event_at)[:16]}" if one.last_event_at else ""
    who = f"  {one.agent_name} {plain(one.session_id)}" if one.agent_name else ""
    files = f"  {counted(len(one.files), 'file')}" if one.files else ""
    waits = f"  waits for {', '.join(one.waits_for)}" if one.waits_for else ""
    lines = [f"{one.intent_id}  {one.state:10}  {plain(one.name)}{heard}{who}{files}{waits}"]
    lines += [f"  {plain(one.reason)}"] if one.reason else []
    lines += [f"  has {', '.join(map(plain, one.leases))}"] if one.leases else []
    lines += [f"  meets {intent_id} in {', '.join(map(plain, files))}" for intent_id, files in one.meets.items()]
    return lines + ([f"  wrote outside of its worktree: {', '.join(map(plain, one.outside))}"] if one.outside else [])
