"""Check the way from each agent to the ledger: hooks installed, trusted, running, and recorded.

A command found in a settings file is never started, only looked at: the file may have come with a clone. What is
started is the hook of this very installation: see probe.py. Nor is any agent started, not even to ask for its version.
"""

import importlib.metadata
import os
import platform
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from linetrail.ledger.adapters.agent import Document, Trust, shown
from linetrail.ledger.adapters.catalogue import CATALOGUE, FIRST, lenders
from linetrail.ledger.gate.settings import BLOCK
from linetrail.ledger.repository import Repository
from linetrail.queries.doctor import activity, coverage, installs, switches
from linetrail.queries.doctor.documents import located, read_json, read_toml
from linetrail.queries.doctor.finding import ERROR, OK, WARNING, Finding
from linetrail.queries.doctor.hooks import Site, hooked, sites
from linetrail.queries.setup import enforcement

# Where our handlers are: file, event, group, place in the group.
Places = Sequence[tuple[str, str, int, int]]
RETENTION = "retention"
WANTED_DAYS = 90
_AGE = re.compile(r"\s*(\d{1,6})\s*([hdwm])\s*", re.IGNORECASE)
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24}


def check_versions(_: Repository) -> Iterator[Finding]:
    """Report the versions of linetrail, Python and DuckDB."""
    linetrail, duckdb = map(importlib.metadata.version, ("linetrail", "duckdb"))
    message = f"linetrail {linetrail}, Python {platform.python_version()}, DuckDB {duckdb}"
    yield Finding("versions", OK, message)


def check_hooks(repository: Repository) -> Iterator[Finding]:
    """Check that every event of every agent reaches a hook that exists."""
    found = sites(repository)
    yield from coverage.hooks(repository, found, enforcement.in_force(repository))
    yield from _doubles(found)


def check_programs(repository: Repository) -> Iterator[Finding]:
    """Report the agents that are installed on this machine, and how those without hooks get them."""
    ours = {*hooked(sites(repository)), *installs.packaged(repository)}
    for found in installs.programs(repository):
        version = f" {found.version}, by npm" if found.version else ""
        step = None if found.agent in ours else f"linetrail init --agent {found.agent}"
        yield Finding("installed", OK, f"{found.agent}{version}: {found.path}", step)


def check_gate(repository: Repository) -> Iterator[Finding]:
    """Check that the hook judges every call of every tool, and that a hook that fails stops the call."""
    yield from coverage.gate(repository, sites(repository), enforcement.in_force(repository))


def check_switches(repository: Repository) -> Iterator[Finding]:
    """Look for settings that turn hooks, or refusals, off without a word."""
    mode = enforcement.in_force(repository)
    agents = hooked(sites(repository)) or [FIRST]
    found = [finding for agent in agents for finding in switches.check(agent, repository, mode)]
    yield from dict.fromkeys(found)
    if not found:
        yield Finding(switches.CHECK, OK, "no setting turns hooks off")


def check_agents(repository: Repository) -> Iterator[Finding]:
    """Report what keeps agents from calling our hooks, and the recent events of those that do."""
    found = sites(repository)
    lately = activity.hear(repository)
    blocks = enforcement.in_force(repository) == BLOCK
    yield from _trust(repository, found, blocks=blocks, silent=set(hooked(found)) - set(lately))
    yield from activity.last_events(lately, [*hooked(found), *installs.packaged(repository)])
    yield from activity.pace(lately)
    yield from activity.strangers(lately)
    yield from activity.rejected(repository)


def check_retention(_: Repository) -> Iterator[Finding]:
    """Report how long each agent keeps its transcripts."""
    for agent in CATALOGUE:
        yield from retention(agent)


def _trust(repository: Repository, found: Sequence[Site], *, blocks: bool, silent: set[str]) -> Iterator[Finding]:
    """Report what an agent's files say of trust; where an event arrived all the same, they were wrong."""
    for name in hooked(found):
        places = [
            (site.path, hook.event, hook.group, hook.place)
            for site in found
            if site.agent.name == name
            for hook in site.hooks
        ]
        for trust in trusts(name, repository, places):
            level = OK if trust.given else ERROR if blocks and trust.given is False else WARNING
            if trust.given is not None or name in silent:
                yield Finding("trust", level, f"{name}: {trust.message}", trust.next)


def trusts(agent: str, repository: Repository, places: Places) -> Iterator[Trust]:
    """Yield what an agent's own files say of the trust that our hooks need, which stand in these places.

    What an agent asks a person is the person's to answer: nothing here writes, and no hash is computed that it keeps.
    """
    row = CATALOGUE.get(agent)
    if row is not None and row.trusts is not None:
        yield from row.trusts(_Project(repository, places))


class _Project:
    """A project, and how an agent's own files are read for it."""

    def __init__(self, repository: Repository, places: Places) -> None:
        # A linked worktree goes by the main one, too.
        main = repository.main_folder()
        found = [repository.root, os.path.realpath(repository.root), *([os.path.dirname(main)] if main else [])]
        self.root, self.places = repository.root, places
        self.spellings: Sequence[str] = list(dict.fromkeys(found))
        self.around: Sequence[str] = [str(at) for root in self.spellings for at in (root, *Path(root).parents)]

    def json(self, path: str) -> Document:
        return read_json(located(path, self.root))

    def toml(self, path: str) -> Document:
        return read_toml(located(path, self.root))


def retention(agent: str) -> Iterator[Finding]:
    """Report how long an agent that was used here keeps its transcripts: what is deleted cannot be imported."""
    keeps = CATALOGUE[agent].retention
    if keeps is None or not os.path.isdir(located(f"~/{keeps.folder}")):
        return
    if keeps.days is None:
        place = shown(located(f"~/{keeps.folder}"))
        yield Finding(RETENTION, OK, f"{agent}: not known; nothing documented deletes what is in {place}")
        return
    document = read_json(located(keeps.file))
    if keeps.limited and document.at(*keeps.limited) is False:
        yield Finding(RETENTION, OK, f"{agent}: transcripts are kept")
        return
    told = document.at(*keeps.keys)
    days = keeps.days if told is None else _days(told)
    if document.problem or days is None:
        why = document.problem or f"says {str(told)[:20]!r}"
        yield Finding(RETENTION, WARNING, f"{agent}: not known, {document.shown} {why}", "repair the file")
    elif days < WANTED_DAYS:
        message = f"{agent}: transcripts are deleted after {days} days"
        yield Finding(RETENTION, WARNING, message, keeps.advice.format(document.path))
    else:
        yield Finding(RETENTION, OK, f"{agent}: transcripts are kept for {days} days")


def _days(told: object) -> int | None:
    """Return how many days a setting means, as a number of them or as a number with a unit."""
    if isinstance(told, int) and not isinstance(told, bool):
        return told
    age = _AGE.fullmatch(told) if isinstance(told, str) else None
    return int(age[1]) * _HOURS[age[2].lower()] // 24 if age else None


def _doubles(found: Sequence[Site]) -> Iterator[Finding]:
    """Report agents from which one event may arrive twice; it is recorded once."""
    names = hooked(found)
    for name in names:
        agent = CATALOGUE[name]
        if len({site.is_of_user for site in found if site.agent.name == name and site.hooks}) > 1:
            message = f"{name}: both this project and your own settings call us; what is told twice is recorded once"
            yield Finding("told twice", OK, message)
        for lender in lenders(agent, names):
            message = f"{name}: it may run the hooks of {lender.title}, too; what is told twice is recorded once"
            yield Finding("told twice", OK, message)
