"""Find our hooks in the settings of agents, wherever they are, without trusting the file that holds them.

Nothing here writes, and a command that is found is never started, only looked at: it may have come with a clone.
"""

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from linetrail.ledger.adapters.agent import GROUPS, LIST, SCRIPTS, Agent, Document
from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.repository import Repository
from linetrail.queries.doctor.documents import names, read_json, read_text
from linetrail.queries.setup import own_files, place, record
from linetrail.queries.setup.commands import executable, mentions
from linetrail.queries.setup.settings import COMMAND


@dataclass(frozen=True)
class Hook:
    """One handler of ours: for which event, what it runs, and where it stands among the others.

    `executable` is None where a person spelled the call in a way that does not say what runs.
    """

    event: str
    command: str
    executable: str | None
    handler: Mapping[str, Any]
    matcher: object = None
    group: int = 0
    place: int = 0


@dataclass(frozen=True)
class Site:
    """One settings file of one agent, with the hooks of ours in it, for this project or for this person."""

    agent: Agent
    path: str
    is_of_user: bool
    document: Document
    hooks: tuple[Hook, ...] = ()

    def of(self, event: str) -> list[Hook]:
        return [hook for hook in self.hooks if hook.event == event]

    @property
    def events(self) -> set[str]:
        """Return the events that reach a hook of ours."""
        return {hook.event for hook in self.hooks}


def sites(repository: Repository) -> list[Site]:
    """Return every settings file with a hook of ours, or that had one and cannot be read, as the catalogue has them."""
    places = place.project(repository), place.home()
    found = (site for name in CATALOGUE for where in places for site in _look(name, where))
    return [site for site in found if site.hooks or (site.document.problem and _was_ours(site, repository))]


def hooked(found: Iterable[Site]) -> list[str]:
    """Return the agents that call a hook of ours."""
    return list(dict.fromkeys(site.agent.name for site in found if site.hooks))


def _look(name: str, where: place.Place) -> Iterator[Site]:
    """Yield the settings files of one agent in a project, or for a person."""
    agent = where.row(name)
    for path in [where.path(agent.file)] if place.is_own(agent) else where.documents(agent):
        yield Site(agent, path, where.user, *_read(agent, path))


def _read(agent: Agent, path: str) -> tuple[Document, tuple[Hook, ...]]:
    if place.is_own(agent):
        return Document(path, exists=os.path.exists(path)), tuple(_own(agent, path))
    document = read_json(path)
    return document, tuple(_handlers(agent, document))


def _was_ours(site: Site, repository: Repository) -> bool:
    """Return whether a file that cannot be read names our hook, or is one that we wrote into."""
    where = place.home() if site.is_of_user else place.project(repository)
    return where.key(site.path) in record.load(where.record) or names(site.path, COMMAND)


def _handlers(agent: Agent, document: Document) -> Iterator[Hook]:
    """Yield our handlers in a document; what has another shape than the agent reads is passed over."""
    events = document.at(*agent.root)
    for event, items in events.items() if isinstance(events, dict) else ():
        groups = _list(items) if agent.layout == GROUPS else [{"hooks": items}] if agent.layout == LIST else []
        for i, group in enumerate(groups):
            inner = group.get("hooks") if isinstance(group, dict) else None
            for j, handler in enumerate(_list(inner)):
                yield from _ours(agent, event, group, handler, i, j)


def _ours(agent: Agent, event: str, group: Mapping[str, Any], handler: Any, i: int, j: int) -> Iterator[Hook]:
    command = handler.get(agent.command_key) if isinstance(handler, dict) else None
    if isinstance(command, str) and mentions(command, agent.argument):
        matcher = group.get("matcher", handler.get("matcher"))
        yield Hook(event, command, executable(command, agent.argument), handler, matcher, i, j)


def _own(agent: Agent, path: str) -> Iterator[Hook]:
    """Yield our hooks in files that are ours as a whole: a script for each event, or a plugin that passes all on."""
    for file in own_files.paths(path, agent):
        text = read_text(file)[1]
        if own_files.mentions_us(text, agent):
            events = [os.path.basename(file)] if agent.layout == SCRIPTS else agent.events
            executable, mode = own_files.called(text, agent)
            words = [executable or COMMAND, agent.argument, *(["--enforce", mode] if mode else [])]
            yield from (Hook(event, shlex.join(words), executable, {"path": file}) for event in events)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
