"""`linetrail init`: make the ledger's folder, install the hooks of agents, or take all of it back.

The only files touched are in ``.orchestration/``, the settings files of the agents that were named in this project,
and git's pre-commit hook where it was asked for. Git's configuration is not.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence

from linetrail.ledger.errors import UsageError
from linetrail.ledger.policy import LOCAL, MODES, OBSERVE, Settings
from linetrail.ledger.repository import Repository, find
from linetrail.projections.tables import Table
from linetrail.queries import enforcement, precommit
from linetrail.queries.health import OK
from linetrail.queries.installation import (
    CREATE,
    KEEP,
    REMOVE,
    UPDATE,
    Step,
    carry_out,
    hook_path,
    is_passing,
    plan,
    plan_undo,
)
from linetrail.queries.old_ledger import check_old_ledger
from linetrail.queries.preamble import plan_preamble, plan_undo_preamble
from linetrail.queries.render import document
from linetrail.queries.settings import FILES, is_installed

NONE = "none"
KEEP_IT = "uv tool install linetrail"
PAST = {CREATE: "created", UPDATE: "updated", REMOVE: "removed", KEEP: "kept"}
FUTURE = {CREATE: "would create", UPDATE: "would update", REMOVE: "would remove", KEEP: "would keep"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `init`."""
    agents = ", ".join(FILES)
    parser.add_argument(
        "--agent", action="append", metavar="NAME", help=f"install the hooks of {agents}; `none`: of no agent"
    )
    parser.add_argument("--enforce", choices=MODES, help="what refusals do from now on; of a new installation: observe")
    parser.add_argument(
        "--pre-commit", action="store_true", help="let git seal before each commit, so that events travel with the code"
    )
    parser.add_argument("--no-input", action="store_true", help="ask nothing")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    parser.add_argument("--undo", action="store_true", help="remove exactly what init added; the ledger stays")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Plan everything first, so that nothing is changed when anything is in the way."""
    repository = find(args.directory)
    if (args.undo or args.enforce) and not args.dry_run:
        enforcement.forbid_loosening(repository, OBSERVE if args.undo else args.enforce)
    if args.undo:
        steps = [*precommit.plan_undo(repository), *plan_undo_preamble(repository), *plan_undo(repository)]
    else:
        agents = _agents(args, repository) + _installed(args, repository)
        hook = hook_path() if agents or args.pre_commit else ""
        steps = [*plan(repository, agents, hook, args.enforce), *_preamble(repository, agents, args.enforce)]
        if args.pre_commit:
            steps += precommit.plan(repository, os.path.join(os.path.dirname(hook), "linetrail"))
        if is_passing(hook):
            print(f"warning: {hook} is in a cache; install linetrail and run init again: {KEEP_IT}", file=sys.stderr)
    if not args.dry_run:
        carry_out(steps)
    _print(steps, repository, args)
    if not args.undo:
        _warn_of_old_ledgers(repository)
        _warn_of_own_mode(repository, args.enforce)
    return 0


def _preamble(repository: Repository, agents: Sequence[str], mode: str | None) -> Iterator[Step]:
    """Plan that agents are told the order of steps where it is asked of them, and no longer where it is not."""
    if enforcement.wanted(repository, enforcement.edited(repository, mode)[1]) != OBSERVE:
        yield from plan_preamble(repository, agents)
    elif agents:
        yield from plan_undo_preamble(repository)


def _warn_of_old_ledgers(repository: Repository) -> None:
    """Name a ledger that was kept the old way: git goes on tracking it, whatever is in .gitignore."""
    for finding in check_old_ledger(repository):
        if finding.level != OK:
            print(f"warning: {finding.message}" + (f"\nnext: {finding.next}" if finding.next else ""), file=sys.stderr)


def _warn_of_own_mode(repository: Repository, wanted: str | None) -> None:
    """Say that the mode of this machine wins, where somebody just set another one for everybody."""
    own = enforcement.read(repository, LOCAL)
    mode = enforcement.parse(own, LOCAL, Settings(mode=wanted)).mode if wanted else None
    if mode != wanted:
        print(f"warning: {LOCAL} says `enforce: {mode}`, which wins on this machine", file=sys.stderr)


def _installed(args: argparse.Namespace, repository: Repository) -> list[str]:
    """Return the agents that nobody named and whose hooks are here: another mode needs other ones."""
    named = args.agent or []
    return [name for name in FILES if args.enforce and name not in named and is_installed(repository.root, name)]


def _agents(args: argparse.Namespace, repository: Repository) -> list[str]:
    """Return the agents to install: those named, else those seen here that the person at the terminal agrees to."""
    named = list(dict.fromkeys(args.agent or []))
    unknown = [name for name in named if name not in FILES and name != NONE]
    if unknown:
        supported = ", ".join([*FILES, NONE])
        raise UsageError(f"no hooks for {', '.join(unknown)} yet, other agents come later; supported: {supported}")
    if named:
        return [name for name in named if name != NONE]
    if args.no_input or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return []
    return [name for name in FILES if _seen(name, repository) and _agreed(name)]


def _seen(agent: str, repository: Repository) -> bool:
    """Tell whether an agent left its settings folder here or in the home folder."""
    folder = os.path.dirname(FILES[agent])
    return any(os.path.isdir(os.path.join(base, folder)) for base in (repository.root, os.path.expanduser("~")))


def _agreed(agent: str) -> bool:
    print(f"Install the hooks of {agent} in {FILES[agent]}? [Y/n] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("", "y", "yes")


def _print(steps: Sequence[Step], repository: Repository, args: argparse.Namespace) -> None:
    rows = [(_shown(step.path, repository), step.action, step.note) for step in steps]
    if args.json:
        meta = {"root": repository.root, "dry_run": args.dry_run, "undo": args.undo}
        print(document(Table(("path", "action", "note"), rows), meta))
        return
    words = FUTURE if args.dry_run else PAST
    for path, action, note in rows:
        print(f"{words[action]} {path}" + (f"  ({note})" if note else ""))
    if not rows:
        print("nothing to undo")
    print(f"next: {_advice(steps, args)}", file=sys.stderr)


def _advice(steps: Sequence[Step], args: argparse.Namespace) -> str:
    if args.dry_run:
        return "run the same without --dry-run"
    if args.undo:
        return "linetrail init --agent claude-code brings it back"
    if any(step.path.endswith(name) for step in steps for name in FILES.values()):
        return "start a new session of the agent here, then `linetrail doctor`"
    return f"linetrail init --agent {next(iter(FILES))}, or `linetrail import claude-code` for past sessions"


def _shown(path: str, repository: Repository) -> str:
    return os.path.relpath(path, repository.root) + (os.sep if path.endswith(os.sep) else "")
