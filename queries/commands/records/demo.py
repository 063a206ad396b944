"""`linetrail demo`: unpack a small repository with four weeks of history and the ledger that real hooks wrote.

It travels in ``demo.zip`` beside this package, made by `tools/make_demo.py`: git's history as `git fast-export`
text, and under ``worktree/`` the ledger and what is not committed yet. With ``--gate`` another one is made on the spot,
by two agents whom the gate watches; with ``--team`` one by a team. Nothing here needs a network.
"""

import argparse
import io
import os
import shlex
import sys
import zipfile
from importlib.resources import files
from itertools import count

from linetrail.ledger.errors import LinetrailError, StorageError, UsageError
from linetrail.ledger.files import publish
from linetrail.ledger.log.extent import Extent
from linetrail.ledger.log.store import TAIL, Ledger
from linetrail.ledger.repository import FOLDER as FOLDER_OF_LEDGER
from linetrail.ledger.repository import find
from linetrail.projections.tables.table import Table
from linetrail.queries.command_line import run as run_command
from linetrail.queries.demonstration.scratch import git, make_repository, require_free, undone_on_failure
from linetrail.queries.extras import require_extra
from linetrail.queries.render.output import writable
from linetrail.queries.render.text import document

FOLDER, GATE_FOLDER, TEAM_FOLDER = "linetrail-demo", "linetrail-gate-demo", "linetrail-team-demo"
HISTORY, WORKTREE = "history.export", "worktree/"
# What the first minute shows: a line that a person wrote and two sessions of agents changed since.
FILE, LINE = "billing/invoice.py", 30


def configure(parser: argparse.ArgumentParser) -> None:
    default = f"default: ./{FOLDER}, with --gate ./{GATE_FOLDER}, with --team ./{TEAM_FOLDER}"
    parser.add_argument("folder", metavar="DIR", nargs="?", help=f"where to ({default})")
    plays = parser.add_mutually_exclusive_group()
    plays.add_argument("--gate", action="store_true", help="let two agents work at once, and the gate answer them")
    about = "let a team plan, work in worktrees, give back and land, with a conflict on the way"
    plays.add_argument("--team", action="store_true", help=about)
    parser.add_argument("--mcp", action="store_true", help="with --gate: select and record through `linetrail mcp`")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Unpack the repository or play the gate, then ask the first questions."""
    if args.mcp and not args.gate:
        raise UsageError("--mcp is for --gate")
    if args.team:
        return _team(args)
    return _gate(args) if args.gate else _first_minute(args)


def _first_minute(args: argparse.Namespace) -> int:
    name = args.folder or FOLDER
    folder = writable(os.path.join(args.directory, name))
    unpack(folder)
    if args.json:
        with Ledger(find(folder)).extent() as extent:
            rows = [(os.path.abspath(folder), extent.events, FILE, LINE)]
        print(document(Table(("folder", "events", "file", "line"), rows), {}))
        return 0
    status = _ask(folder, ["blame", FILE], ["why", f"{FILE}:{LINE}"])
    if status == 0:
        _go_on(name, "`linetrail log`, `linetrail usage`, `linetrail decisions`, `linetrail sql --list`")
        print(f"see it in a browser: linetrail -C {shlex.quote(name)} serve --open", file=sys.stderr)
    return status


def _gate(args: argparse.Namespace) -> int:
    """Play the gate; the exit status is 0 only if the ledger shows that every promise was kept."""
    from linetrail.queries.demonstration import narration, play, promises, story
    from linetrail.queries.record.classes import record

    name = args.folder or _unused(args.directory, GATE_FOLDER)
    folder = writable(os.path.abspath(os.path.join(args.directory, name)))
    if args.mcp:
        require_extra("mcp", "demo --mcp")
    play.set_the_scene(folder)
    if not args.json:
        print(narration.introduced(folder), flush=True)
    heard = play.play(folder, mcp=args.mcp)
    repository = find(folder)
    record(repository)
    rows = promises.kept(promises.Facts(repository))
    kept = promises.all_kept(rows)
    if args.json:
        print(document(rows, {"folder": folder, "kept": kept, "sessions": promises.sessions()}))
        return int(not kept)
    print(*narration.told(heard, rows), sep="\n", end="\n\n", flush=True)
    line = f"{story.REFACTORED}:{story.LINE}"
    status = _ask(folder, ["blame", story.SHARED], ["why", line], ["audit"], ["verify"])
    print(narration.summed_up(rows))
    _go_on(name, "`linetrail log`, `linetrail sql @rejections`, `linetrail lesson list`")
    return max(status, int(not kept))


def _team(args: argparse.Namespace) -> int:
    """Play the team; the exit status is 0 only if the ledger shows that every promise was kept."""
    from linetrail.queries.demonstration import narration, promises, team

    name = args.folder or _unused(args.directory, TEAM_FOLDER)
    folder = writable(os.path.abspath(os.path.join(args.directory, name)))
    team.set_the_scene(folder)
    if not args.json:
        print(team.introduced(folder), flush=True)
    for said in team.acts(folder):
        if not args.json:
            print(said, flush=True)
    rows = team.kept(folder)
    kept = promises.all_kept(rows)
    if args.json:
        print(document(rows, {"folder": folder, "kept": kept, "sessions": team.sessions()}))
        return int(not kept)
    print(*narration.promised(rows), sep="\n")
    print(narration.summed_up(rows))
    _go_on(name, "`linetrail workers`, `linetrail decisions`, `linetrail log`")
    print(f"see the plan in a browser: linetrail -C {shlex.quote(name)} serve --open", file=sys.stderr)
    return int(not kept)


def _unused(directory: str, wanted: str) -> str:
    """Return the name of a folder that does not exist yet."""
    names = (wanted if number == 1 else f"{wanted}-{number}" for number in count(1))
    return next(name for name in names if not os.path.lexists(os.path.join(directory, name)))


def _ask(folder: str, *questions: list[str]) -> int:
    """Run commands one after the other until one fails."""
    for question in questions:
        print(f"$ linetrail {' '.join(question)}", flush=True)
        status = run_command(["-C", folder, *question])
        print(flush=True)
        if status:
            return status
    return 0


def _go_on(name: str, questions: str) -> None:
    print(f"next: cd {shlex.quote(name)}, then {questions}", file=sys.stderr)


def unpack(folder: str) -> None:
    """Unpack the repository into a new or empty folder; leave nothing behind on failure.

    One that was unpacked before is left as it is, with whatever was done in it since.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(_bundled())) as bundle:
            if _is_unpacked(folder, bundle.read(f"{WORKTREE}{FOLDER_OF_LEDGER}/{TAIL}")):
                return
            require_free(folder)
            with undone_on_failure(folder):
                make_repository(folder)
                git(folder, "fast-import", "--quiet", stdin=bundle.read(HISTORY))
                git(folder, "reset", "--quiet", "--hard")
                for name in bundle.namelist():
                    if name.startswith(WORKTREE):
                        path = os.path.join(folder, *name.removeprefix(WORKTREE).split("/"))
                        publish(path, bundle.read(name), durable=False)
    except OSError as error:
        raise StorageError(f"cannot write {error.filename or folder}: {error.strerror}") from error


def _bundled() -> bytes:
    return files("linetrail.queries.demonstration").joinpath("demo.zip").read_bytes()


def _is_unpacked(folder: str, ledger: bytes) -> bool:
    """Return whether a folder is an earlier demo: its ledger contains the bundled one."""
    last = ledger.splitlines(keepends=True)[-1]  # by the chain, it stands for those before it
    place = os.path.join(folder, FOLDER_OF_LEDGER)
    try:
        with Extent(place, os.path.join(place, TAIL)) as extent:
            return any(line.raw == last for run in extent.runs for line in extent.read(run))
    except (OSError, LinetrailError):
        return False
