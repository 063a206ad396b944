"""Run the commands that findings name, where they need no judgement: `linetrail doctor --fix`.

What would start something new, delete anything, or make a person trust a hook again is left to that person.
"""

import contextlib
import os
import re
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.files import PRIVATE_FILE
from linetrail.ledger.gate.settings import OBSERVE
from linetrail.ledger.log.store import TAIL, Ledger
from linetrail.ledger.repository import Repository
from linetrail.queries.doctor.finding import OK, Finding
from linetrail.queries.doctor.health import FOLD
from linetrail.queries.doctor.hooks import hooked, sites
from linetrail.queries.setup import enforcement, entries, installation, place, settings
from linetrail.queries.setup.preamble import plan_preamble
from linetrail.queries.setup.steps import KEEP, UPDATE, Step, carry_out, mode


class Repair(NamedTuple):
    """Something that was repaired, or why it could not be."""

    what: str
    problem: str | None = None


def repair(repository: Repository, findings: Sequence[Finding], retrust: Collection[str]) -> list[Repair]:
    """Run each command that a finding names, once; then rewrite the hooks of the agents that will be trusted again."""
    commands = dict.fromkeys(finding.next for finding in findings if finding.next and finding.level != OK)
    done = [found for command in commands for found in _run(repository, command)]
    for name in retrust:
        done += _attempted(f"hooks of {name}", partial(_rewrite, repository, name))
    return done


def _run(repository: Repository, command: str) -> Iterator[Repair]:
    for pattern, act in _COMMANDS:
        found = pattern.fullmatch(command)
        if found:
            yield from _attempted(command, partial(act, repository, found))


def _attempted(what: str, act: Callable[[], Iterator[str]]) -> list[Repair]:
    """Carry a repair out; an error is reported, and does not stop the next repair."""
    try:
        return [Repair(done) for done in act()]
    except LinetrailError as error:
        return [Repair(what, str(error))]
    except OSError as error:
        return [Repair(what, error.strerror or str(error))]


def _install(repository: Repository, found: re.Match[str]) -> Iterator[str]:
    """Update the hooks of an agent that calls ours already, in the same mode."""
    name, user = found["agent"], found["user"] is not None
    known = [site for site in sites(repository) if site.is_of_user is user]
    if name not in hooked(known) or not repository.has_ledger():
        return
    hook = installation.hook_path()
    if user:
        steps = installation.plan_for_user([name], hook)
    else:
        steps = installation.plan(repository, [name], hook)
        if enforcement.in_force(repository) != OBSERVE:
            steps += plan_preamble(repository, [name])
    yield from _carried_out(steps)


def _renew(repository: Repository, _: re.Match[str]) -> Iterator[str]:
    """Restore missing files of a ledger's folder; only a person starts a ledger."""
    if repository.has_ledger():
        yield from _carried_out(installation.plan(repository, [], ""))


def _rewrite(repository: Repository, name: str) -> Iterator[str]:
    """Rewrite the hooks of an agent to call this installation; a person has to review them again."""
    where = place.project(repository)
    row = CATALOGUE[name]
    hook = installation.hook_path()
    for path in where.documents(row):
        before = settings.read(path, where.above(path))
        if before is None or not entries.has_handlers(before, row):
            continue
        enforced = enforcement.wanted(repository, enforcement.read(repository))
        after, _ = entries.install(entries.uninstall(before, row, {}) or entries.new_file(row), row, hook, enforced)
        if after != before:
            yield from _carried_out([Step(UPDATE, path, f"hooks of {name}", after.encode(), mode(path))])


def _carried_out(steps: Sequence[Step]) -> Iterator[str]:
    carry_out(steps)
    yield from (f"{step.action} {step.path}" for step in steps if step.action != KEEP)


def _hide(repository: Repository, _: re.Match[str]) -> Iterator[str]:
    """Make the tail of this ledger private, whatever path the finding names."""
    path = os.path.join(repository.folder, TAIL)
    if stat.S_ISREG(os.lstat(path).st_mode):
        os.chmod(path, PRIVATE_FILE)
        yield f"chmod 600 {path}"


def _let_write(repository: Repository, _: re.Match[str]) -> Iterator[str]:
    """Let the owner write into the folder of the ledger, and the tail."""
    for path, wanted in ((repository.folder, stat.S_IRWXU), (os.path.join(repository.folder, TAIL), PRIVATE_FILE)):
        with contextlib.suppress(FileNotFoundError):
            found = os.lstat(path).st_mode
            if not stat.S_ISLNK(found) and found & wanted != wanted:
                os.chmod(path, stat.S_IMODE(found) | wanted)
                yield f"chmod u+rw {path}"


def _fold(repository: Repository, _: re.Match[str]) -> Iterator[str]:
    """Append what waits in the spool to the ledger, as the next event would."""
    Ledger(repository).append([])
    yield "took what waited in the spool into the ledger"


_COMMANDS: tuple[tuple[re.Pattern[str], Callable[[Repository, re.Match[str]], Iterator[str]]], ...] = (
    (re.compile(r"linetrail init --agent (?P<agent>[\w-]+)(?P<user> --user)?"), _install),
    (re.compile(r"linetrail init"), _renew),
    (re.compile(r"chmod 600 .+"), _hide),
    (re.compile(r"chmod (?:-R )?u\+rwX? .+"), _let_write),
    (re.compile(re.escape(FOLD)), _fold),
)
