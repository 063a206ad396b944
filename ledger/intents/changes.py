"""Record every change of the registry as an event: those made by command, and those found after an editor or git.

What was recorded last is remembered in ``state/registry.json``, so a change is recorded once, by whoever comes first:
a command, or the hook of an agent. The standard library alone; whoever asks has read the YAML.
"""

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from linetrail.ledger.errors import EventError
from linetrail.ledger.event.event import GENESIS, Agent, Event, derived_id, from_line, rfc3339, to_line
from linetrail.ledger.files import locked_path, publish
from linetrail.ledger.intents.intent import DONE
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import FOLDER, Repository, Vcs

# How an event came about: what the file said was changed by us, by a tool of an agent, or was found.
COMMAND, TOOL, FOUND = "command", "tool", "found"
CREATED, CHANGED, COMPLETED = "intent.created", "intent.changed", "intent.completed"
LOCK_SECONDS = 5.0
_MEMORY = os.path.join("state", "registry.json")

# What one intent is like: the `IntentState` of the published schema.
State = Mapping[str, Any]
States = Mapping[str, State]


class Author(NamedTuple):
    """Who made a change: a person at the command line, an agent in its session, or nobody knows who."""

    contributor: str
    agent: Agent | None = None
    session_id: str | None = None


UNKNOWN = Author("unknown")


def changes(
    before: States | None,
    after: States,
    digest: str | None,
    by: str,
    *,
    notes: str | None = None,
    reason: str | None = None,
) -> list[tuple[str, dict[str, Any]]]:
    """Return the type and the data of an event for each intent that says something else than before.

    Where it is not known what was said before, each intent is told once, with nothing before it.
    """
    known = before or {}
    told = []
    for intent_id in [*after, *(gone for gone in known if gone not in after)]:
        old, new = _brief(known.get(intent_id)), _brief(after.get(intent_id))
        if old == new:
            continue
        kind = CREATED if old is None and before is not None else CHANGED
        if old is not None and new is not None and new.get("status") == DONE != old.get("status"):
            kind = COMPLETED
        data = {"intent_id": intent_id, "before": old, "after": new, "registry_digest": digest}
        said = {"verification_notes": notes if kind == COMPLETED else None, "reason": reason}
        told.append((kind, {**data, **{name: text for name, text in said.items() if text is not None}, "by": by}))
    return told


@contextlib.contextmanager
def held(repository: Repository, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Keep everybody else from changing the registry, and from recording that it changed."""
    path = os.path.join(repository.folder, "state", "locks", "registry")
    with locked_path(path, seconds, "the registry of intents"):
        yield


def is_recorded(repository: Repository, digest: str | None) -> bool:
    """Return whether the registry with this hash is what was recorded last, completely; reads only a few bytes."""
    begin = _begin(digest, pending=False)
    try:
        with open(os.path.join(repository.folder, _MEMORY), "rb") as file:
            return file.read(len(begin)) == begin
    except OSError:
        return False


def record(
    repository: Repository,
    after: States,
    digest: str | None,
    *,
    by: str,
    author: Author,
    now_ns: int,
    vcs: Vcs | None = None,
    notes: str | None = None,
    reason: str | None = None,
    told: Callable[[], States] | None = None,
) -> list[Event]:
    """Append an event for each intent that says something else than what was recorded last, and remember that.

    `digest` names the file that says so, None no file. `told` asks the ledger where nothing is remembered, as in a
    fresh clone; without it each intent is told once more. Whoever calls holds the registry. A process that dies in
    between loses nothing and repeats nothing: the next one appends the very same events.
    """
    before = _recall(repository)
    if before is None and digest is None:
        return []  # no file, and nothing tells that there ever was one here
    if before is None and told is not None:
        before = told()
    found = [
        Event(
            id=derived_id(now_ns, "registry", digest or "", data["intent_id"], str(now_ns)),
            timestamp=rfc3339(now_ns),
            type=kind,
            session_id=author.session_id,
            agent=author.agent,
            contributor=author.contributor,
            intent_id=data["intent_id"],
            vcs=vcs,
            data=data,
        )
        for kind, data in changes(before, after, digest, by, notes=notes, reason=reason)
    ]
    if found:
        _remember(repository, after, digest, found)
        Ledger(repository).append(found)
    if found or not is_recorded(repository, digest):
        _remember(repository, after, digest, [])
    return found


def _recall(repository: Repository) -> States | None:
    """Return what was recorded last, and append what a process that died had not come to append.

    A worktree that is new goes on from what the main one has recorded.
    """
    own = _memory(repository.folder)
    if own is not None:
        states, waiting, digest = own
        if waiting:
            Ledger(repository).append(waiting)
            _remember(repository, states, digest, [])
        return states
    if repository.common_dir is None or repository.common_dir == repository.git_dir:
        return None
    main = _memory(os.path.join(os.path.dirname(repository.common_dir), FOLDER))
    return None if main is None else main[0]


def _memory(folder: str) -> tuple[States, list[Event], str | None] | None:
    """Return what is remembered in a folder: the states, the events that may not be appended yet, the hash."""
    try:
        with open(os.path.join(folder, _MEMORY), "rb") as file:
            memory = json.load(file)
        waiting = [from_line(line.encode())._replace(seq=None, prev=None) for line in memory["pending"]]
        states = {str(intent_id): dict(state) for intent_id, state in memory["states"].items()}
        return states, waiting, memory["digest"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, EventError):
        return None


def _remember(repository: Repository, states: States, digest: str | None, pending: list[Event]) -> None:
    lines = [to_line(event, 0, GENESIS).decode() for event in pending]
    rest = json.dumps({"states": states, "pending": lines}, ensure_ascii=False).encode()
    content = _begin(digest, pending=bool(pending)) + rest[1:]
    publish(os.path.join(repository.folder, _MEMORY), content, durable=False)


def _begin(digest: str | None, *, pending: bool) -> bytes:
    return json.dumps({"digest": digest, "complete": not pending}).encode()[:-1] + b", "


def _brief(state: State | None) -> dict[str, Any] | None:
    """Return a state without what it says nothing about; a scope says something when it is empty, too."""
    if state is None:
        return None
    return {name: value for name, value in state.items() if name == "scope" or value not in (None, [], ())}
