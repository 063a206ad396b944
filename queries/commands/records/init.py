"""`linetrail init`: create the ledger's folder and install the hooks of agents, or undo both.

The only files touched are in ``.orchestration/``, the settings files of the agents that were named in this project, and
git's pre-commit hook and the file of a CI service where they were asked for. With ``--user`` they are the settings of a
person, and nothing else. Git's configuration is not touched.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence

from linetrail.ledger.adapters.catalogue import CATALOGUE, FIRST
from linetrail.ledger.agents import ONLY_TOLD
from linetrail.ledger.errors import NotARepositoryError, UsageError
from linetrail.ledger.gate import policy
from linetrail.ledger.gate.policy import LOCAL, SHARED
from linetrail.ledger.gate.settings import BLOCK, MODES, OBSERVE, Settings
from linetrail.ledger.repository import Repository, find
from linetrail.projections.tables.table import Table
from linetrail.queries.doctor.finding import OK
from linetrail.queries.doctor.old_ledger import check_old_ledger
from linetrail.queries.render.text import document
from linetrail.queries.setup import agent_hooks, ci_files, enforcement, precommit
from linetrail.queries.setup.installation import (
    hook_path,
    is_passing,
    plan,
    plan_for_user,
    plan_undo,
    plan_undo_for_user,
)
from linetrail.queries.setup.place import Place, home, project, sign_of
from linetrail.queries.setup.preamble import plan_preamble, plan_undo_preamble
from linetrail.queries.setup.steps import CREATE, KEEP, REMOVE, UPDATE, Step, carry_out

NONE, DETECTED = "none", "detected"
KEEP_IT = "uv tool install linetrail"
PAST = {CREATE: "created", UPDATE: "updated", REMOVE: "removed", KEEP: "kept"}
FUTURE = {CREATE: "would create", UPDATE: "would update", REMOVE: "would remove", KEEP: "would keep"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--agent",
        action="append",
        metavar="NAME",
        help=f"install the hooks of {', '.join(CATALOGUE)}; `{DETECTED}`: of those seen here; `{NONE}`: of no agent",
    )
    parser.add_argument("--enforce", choices=MODES, help="what refusals do from now on; of a new installation: observe")
    parser.add_argument(
        "--user", action="store_true", help="in your own settings instead, for every repository that has a ledger"
    )
    parser.add_argument(
        "--pre-commit", action="store_true", help="let git seal before each commit, so that events travel with the code"
    )
    parser.add_argument(
        "--ci", choices=ci_files.PLACES, help="write the file by which this service runs `linetrail ci` on each change"
    )
    parser.add_argument("--no-input", action="store_true", help="ask nothing")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    parser.add_argument("--undo", action="store_true", help="remove exactly what init added; the ledger stays")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Plan every step, then carry all of them out, so that an obstacle changes nothing."""
    if args.user:
        return _run_for_user(args)
    repository = find(args.directory)
    place = project(repository)
    if (args.undo or args.enforce) and not args.dry_run:
        enforcement.forbid_loosening(repository, OBSERVE if args.undo else args.enforce)
    if args.undo:
        agents = agent_hooks.agents(place)
        before = [*precommit.plan_undo(repository), *ci_files.plan_undo(repository), *plan_undo_preamble(repository)]
        steps = [*before, *plan_undo(repository, before)]
    else:
        agents = _agents(args, place) + _installed(args, place)
        hook = hook_path() if agents or args.pre_commit else ""
        steps = [*plan(repository, agents, hook, args.enforce), *_preamble(repository, agents, args.enforce)]
        if args.pre_commit:
            steps += precommit.plan(repository, os.path.join(os.path.dirname(hook), "linetrail"))
        if args.ci:
            steps += ci_files.plan(repository, args.ci)
        _warn_of_passing(hook)
    if not args.dry_run:
        carry_out(steps)
    _print(steps, place, args, agents)
    if not args.undo:
        _warn_of_old_ledgers(repository)
        _warn_of_own_mode(repository, args.enforce)
        _note_spared(repository, agents)
    return 0


def _run_for_user(args: argparse.Namespace) -> int:
    """Install hooks in the settings of a person, which needs and touches no repository."""
    if args.enforce or args.pre_commit or args.ci:
        raise UsageError(
            "--enforce, --pre-commit and --ci are for one repository, --user is for all of them: run init twice"
        )
    place = home()
    if args.undo:
        if not args.dry_run:
            _forbid_loosening_around(args.directory)
        agents = agent_hooks.agents(place)
        steps = plan_undo_for_user()
    else:
        agents = _agents(args, place)
        if not agents:
            raise UsageError(f"--user needs an agent: --agent {FIRST}, or --agent {DETECTED}")
        hook = hook_path()
        steps = plan_for_user(agents, hook)
        _warn_of_passing(hook)
        told = "these hooks are called in every repository of yours; where there is no ledger they do nothing"
        print(f"note: {told}", file=sys.stderr)
    if not args.dry_run:
        carry_out(steps)
    _print(steps, place, args, agents)
    return 0


def _forbid_loosening_around(directory: str) -> None:
    """Raise if an agent tries to remove the hooks that restrain it."""
    try:
        repository = find(directory)
    except NotARepositoryError:
        return
    enforcement.forbid_loosening(repository, OBSERVE)


def _warn_of_passing(hook: str) -> None:
    if is_passing(hook):
        print(f"warning: {hook} is in a cache; install linetrail and run init again: {KEEP_IT}", file=sys.stderr)


def _preamble(repository: Repository, agents: Sequence[str], mode: str | None) -> Iterator[Step]:
    """Plan the instructions on the handshake: added where the gate wants one, else removed."""
    if enforcement.wanted(repository, enforcement.edited(repository, mode)[1]) != OBSERVE:
        yield from plan_preamble(repository, agents)
    elif agents:
        yield from plan_undo_preamble(repository)


def _warn_of_old_ledgers(repository: Repository) -> None:
    """Print a warning about a ledger in the old format that git tracks."""
    for finding in check_old_ledger(repository):
        if finding.level != OK:
            print(f"warning: {finding.message}" + (f"\nnext: {finding.next}" if finding.next else ""), file=sys.stderr)


def _note_spared(repository: Repository, agents: Sequence[str]) -> None:
    """Print which agents are only told of refusals while all others are blocked."""
    for name in agents:
        if name in ONLY_TOLD and policy.told_mode(repository) == BLOCK != policy.told_mode(repository, agent=name):
            wanted = f"`agents: {{{name}: block}}` in {SHARED} wants that"
            print(f"note: {name} is only told of refusals, since one ends its whole run; {wanted}", file=sys.stderr)


def _warn_of_own_mode(repository: Repository, wanted: str | None) -> None:
    """Print a warning if this machine's own mode overrides the one that was just set."""
    own = enforcement.read(repository, LOCAL)
    mode = enforcement.parse(own, LOCAL, Settings(mode=wanted)).mode if wanted else None
    if mode != wanted:
        print(f"warning: {LOCAL} says `enforce: {mode}`, which wins on this machine", file=sys.stderr)


def _installed(args: argparse.Namespace, place: Place) -> list[str]:
    """Return the agents whose installed hooks have to change with the mode."""
    named = args.agent or []
    return [name for name in agent_hooks.agents(place) if name not in named] if args.enforce else []


def _agents(args: argparse.Namespace, place: Place) -> list[str]:
    """Return the agents to install: those named, else those detected that the person at the terminal confirms."""
    named = list(dict.fromkeys(args.agent or []))
    unknown = [name for name in named if name not in CATALOGUE and name not in (NONE, DETECTED)]
    if unknown:
        raise UsageError(f"no hooks for {', '.join(unknown)}; supported: {', '.join([*CATALOGUE, DETECTED, NONE])}")
    if named:
        seen = _seen(place) if DETECTED in named else []
        if DETECTED in named and not seen:
            print(f"note: no agent left traces in {place.base} or in your home folder", file=sys.stderr)
        return [name for name in dict.fromkeys([*named, *seen]) if name in CATALOGUE]
    if args.no_input or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return []
    return [name for name in _seen(place) if _agreed(name, place)]


def _seen(place: Place) -> list[str]:
    """Return the agents that left traces here or in the home folder."""
    root = None if place.user else place.base
    return [name for name, row in CATALOGUE.items() if sign_of(row, root)]


def _agreed(agent: str, place: Place) -> bool:
    path = _shown(place.path(place.row(agent).file), place)
    print(f"Install the hooks of {agent} in {path}? [Y/n] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("", "y", "yes")


def _print(steps: Sequence[Step], place: Place, args: argparse.Namespace, agents: Sequence[str]) -> None:
    rows = [(_shown(step.path, place), step.action, step.note) for step in steps]
    if args.json:
        meta = {"root": place.base, "dry_run": args.dry_run, "undo": args.undo, "user": args.user}
        print(document(Table(("path", "action", "note"), rows), meta))
        return
    words = FUTURE if args.dry_run else PAST
    for path, action, note in rows:
        print(f"{words[action]} {path}" + (f"  ({note})" if note else ""))
    if not rows:
        print("nothing to undo")
        return
    for name in agents if not args.undo else ():
        print(f"{name}: {CATALOGUE[name].trust}", file=sys.stderr)
    print(f"next: {_advice(args, place, agents)}", file=sys.stderr)


def _advice(args: argparse.Namespace, place: Place, agents: Sequence[str]) -> str:
    if args.dry_run:
        return "run the same without --dry-run"
    if args.undo:
        return f"linetrail init {_options(agents or [FIRST])}{' --user' if args.user else ''} brings it back"
    if args.user:
        return "linetrail init in each repository that is to have a ledger, then `linetrail doctor` there"
    if agents:
        return "start a new session of the agent here, then `linetrail doctor`"
    seen = _seen(place)
    return f"linetrail init {_options(seen or ['NAME'])}; `linetrail try` looks for sessions of the past"


def _options(agents: Sequence[str]) -> str:
    return " ".join(f"--agent {name}" for name in agents)


def _shown(path: str, place: Place) -> str:
    base = os.path.join(place.base, "")
    if place.user:
        return "~/" + path.removeprefix(base) if path.startswith(base) else path
    return os.path.relpath(path, place.base) + (os.sep if path.endswith(os.sep) else "")
