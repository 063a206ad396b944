"""Look at the way from each agent to the ledger: hooks installed, trusted, running, heard of.

A command found in a settings file is never started, only looked at: the file may have come with a clone. What is
started is the hook of this very installation: see probe.py. Nor is any agent started, not even to ask for its version.
"""

import importlib.metadata
import platform
from collections.abc import Iterator, Sequence

from linetrail.ledger.adapters.agent import CLAUDE
from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.gate.policy import BLOCK
from linetrail.ledger.repository import Repository
from linetrail.queries.doctor import coverage, heard, packages, programs, retention, switches, trust
from linetrail.queries.doctor.health import ERROR, OK, WARNING, Finding
from linetrail.queries.doctor.hooks import Site, hooked, sites
from linetrail.queries.setup import enforcement


def check_versions(_: Repository) -> Iterator[Finding]:
    """Name what answers here, for whoever is asked what is wrong."""
    linetrail, duckdb = map(importlib.metadata.version, ("linetrail", "duckdb"))
    message = f"linetrail {linetrail}, Python {platform.python_version()}, DuckDB {duckdb}"
    yield Finding("versions", OK, message)


def check_hooks(repository: Repository) -> Iterator[Finding]:
    """Look whether every event of every agent reaches a hook that exists."""
    found = sites(repository)
    yield from coverage.hooks(repository, found, enforcement.in_force(repository))
    yield from _doubles(found)


def check_programs(repository: Repository) -> Iterator[Finding]:
    """Name the agents that are installed on this machine, and what gives those that do not call us their hooks."""
    ours = {*hooked(sites(repository)), *packages.packaged(repository)}
    for found in programs.installed(repository):
        version = f" {found.version}, by npm" if found.version else ""
        step = None if found.agent in ours else f"linetrail init --agent {found.agent}"
        yield Finding("installed", OK, f"{found.agent}{version}: {found.path}", step)


def check_gate(repository: Repository) -> Iterator[Finding]:
    """Look whether every call of every tool comes to us, and whether a hook that fails stops it."""
    yield from coverage.gate(repository, sites(repository), enforcement.in_force(repository))


def check_switches(repository: Repository) -> Iterator[Finding]:
    """Look for settings that turn hooks, or refusals, off without a word."""
    mode = enforcement.in_force(repository)
    agents = hooked(sites(repository)) or [CLAUDE]
    found = [finding for agent in agents for finding in switches.check(agent, repository, mode)]
    yield from dict.fromkeys(found)
    if not found:
        yield Finding(switches.CHECK, OK, "no setting turns hooks off")


def check_agents(repository: Repository) -> Iterator[Finding]:
    """Say what keeps agents from calling our hooks, and what was heard of those that do."""
    found = sites(repository)
    lately = heard.hear(repository)
    blocks = enforcement.in_force(repository) == BLOCK
    yield from _trust(repository, found, blocks=blocks, silent=set(hooked(found)) - set(lately))
    yield from heard.last_events(lately, [*hooked(found), *packages.packaged(repository)])
    yield from heard.pace(lately)
    yield from heard.strangers(lately)


def check_retention(_: Repository) -> Iterator[Finding]:
    """Look how long each agent keeps its transcripts."""
    for agent in CATALOGUE:
        yield from retention.check(agent)


def _trust(repository: Repository, found: Sequence[Site], *, blocks: bool, silent: set[str]) -> Iterator[Finding]:
    """Judge what an agent's files say of trust by whether it was heard: they may be wrong, an event is not."""
    for name in hooked(found):
        places = [
            (site.path, hook.event, hook.group, hook.place)
            for site in found
            if site.agent.name == name
            for hook in site.hooks
        ]
        for gate in trust.gates(name, repository, places):
            if gate.opened:
                yield Finding("trust", OK, f"{name}: {gate.message}")
            elif gate.opened is False:
                yield Finding("trust", ERROR if blocks else WARNING, f"{name}: {gate.message}", gate.next)
            elif name in silent:
                yield Finding("trust", WARNING, f"{name}: {gate.message}", gate.next)


def _doubles(found: Sequence[Site]) -> Iterator[Finding]:
    """Explain why a call may come twice: it is recorded once."""
    names = hooked(found)
    for name in names:
        agent = CATALOGUE[name]
        if len({site.is_of_user for site in found if site.agent.name == name and site.hooks}) > 1:
            message = f"{name}: both this project and your own settings call us; what is told twice is recorded once"
            yield Finding("told twice", OK, message)
        if agent.reads_claude and CLAUDE in names:
            message = f"{name}: it may run the hooks of Claude Code, too; what is told twice is recorded once"
            yield Finding("told twice", OK, message)
