"""`linetrail start`: begin the work for an intent in a worktree of its own, and let a worker do it."""

import argparse
import sys

from linetrail.ledger.errors import UsageError
from linetrail.ledger.gate import policy, roles
from linetrail.ledger.gate.settings_text import MAX_SECONDS
from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.git.shell import command
from linetrail.projections.tables.table import Table
from linetrail.queries.arguments import prefixes
from linetrail.queries.arguments.numbers import whole
from linetrail.queries.record.intent_record import notice
from linetrail.queries.render.output import Answer, add_json
from linetrail.queries.render.text import plain
from linetrail.queries.work import start, states

COLUMNS = ("intent_id", "branch", "worktree", "brief", "meets", "exit_code", "duration_ms")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [-h] [--role ROLE] [--agent NAME] [--seconds N] [--json] INT [-- CMD ...]"
    parser.epilog = (
        "The worktree is made beside this one. CMD runs in it, with the brief as its input; a word that is {brief} is "
        "the text of the brief, {brief_file} its file, {intent} the intent."
    )
    parser.add_argument("intent_id", metavar="INT", help="an id or its first characters")
    parser.add_argument("--agent", metavar="NAME", help="run the command that `workers` of config.yaml has for it")
    about = "no file, what the intent owns, or tests may be changed (default: as before, else builder)"
    parser.add_argument("--role", choices=roles.ROLES, help=about)
    limit = "how long it may take (default: `workers: seconds`, 3600)"
    parser.add_argument("--seconds", metavar="N", type=whole(1, MAX_SECONDS), help=limit)
    add_json(parser)


def answer(args: argparse.Namespace) -> Answer:
    """Begin, and where a worker is named, run it."""
    main = states.home(require_ledger(find(args.directory)))
    if args.agent is not None and args.paths:
        raise UsageError("give --agent or a command, not both")
    notice(main)
    words = args.paths if args.agent is None else start.command_of(main, args.agent)
    begun = start.start(main, prefixes.intent(main, args.intent_id), args.role)
    for name in begun.without_hooks:
        print(f"note: {name} is not committed, so its hooks do not fire in the worktree", file=sys.stderr)
    seconds = args.seconds or policy.of(main).settings.worker_seconds
    ended = start.run(main, begun, words, seconds) if words else None
    row = (
        *(begun.intent.id, begun.branch, begun.worktree.root, begun.brief),
        [{"intent_id": one.of(begun.intent.id), "probability": round(one.probability, 3)} for one in begun.meetings],
        *((ended.exit_code, ended.duration_ms) if ended else (None, None)),
    )
    lines = [f"{begun.intent.id} {plain(begun.intent.name)}: {begun.branch} in {plain(begun.worktree.root)}"]
    lines += [f"may meet {one.of(begun.intent.id)}: {plain(one.reason)}" for one in begun.meetings]
    if ended is None:
        lines.append(f"next: {command(['cd', begun.worktree.root])}, and an agent that is given {plain(begun.brief)}")
    else:
        said = "did not end in time" if ended.exit_code is None else f"ended with {ended.exit_code}"
        lines.append(f"{plain(words[0])} {said}; next: linetrail give-back {begun.intent.id}")
    status = 0 if ended is None or ended.exit_code == 0 else 1
    return Answer(Table(COLUMNS, [row]), {"root": main.root}, lambda: "\n".join(lines), status)
