"""Find out who runs this command: the agent in whose shell it runs, or a person."""

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.event.event import Agent, Event, derived_id, new_id, rfc3339
from linetrail.ledger.intents import selection
from linetrail.ledger.intents.changes import Author
from linetrail.ledger.intents.selection import Shell
from linetrail.ledger.log.recent import agent_of
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, Vcs, git, head
from linetrail.queries.record.open_calls import open_calls
from linetrail.queries.render.text import plain

# For whom this thread works, where no shell says so: an agent that calls a tool.
_acting: ContextVar[Author | None] = ContextVar("acting", default=None)


class OnlyAPersonError(LinetrailError):
    """An agent tried to do what only a person may."""

    hint = "the person at the keyboard runs it in a shell of their own"
    exit_status = 1


def current_author(repository: Repository) -> Author:
    """Return the author: the agent as its session's hooks named it, else as its shell's variables do; or a person."""
    shell, acting = selection.shell(), _acting.get()
    if acting is not None:
        return acting
    if shell is None:
        return Author("human")
    session_id = shell.session_id or _heard(repository, shell)
    known = agent_of(repository, session_id) if session_id else None
    return Author("ai", known or Agent(shell.agent), session_id)


def require_person(what: str) -> None:
    """Raise where the command runs in the shell of an agent, or for a tool that one called."""
    shell, acting = selection.shell(), _acting.get()
    if acting is not None:
        raise OnlyAPersonError(f"only a person can {what}, and a tool was called for it")
    if shell is not None:
        raise OnlyAPersonError(f"only a person can {what}: this shell is an agent's ({plain(shell.named)})")


@contextlib.contextmanager
def acting_for(author: Author) -> Iterator[None]:
    """Let an agent be the author of what this thread records in the block, whoever's shell it runs in."""
    before = _acting.set(author)
    try:
        yield
    finally:
        _acting.reset(before)


PERSON = Author("human")
# As long as a name with an address may be.
MAX_NAME = 200


def person(repository: Repository) -> str | None:
    """Return the author that git would give a commit here; None where it knows none."""
    told = (git(repository, "var", "GIT_AUTHOR_IDENT") or b"").decode(errors="replace")
    return told.rpartition(">")[0][: MAX_NAME - 1] + ">" if ">" in told else None


def event_by(
    who: Author,
    event_type: str,
    data: dict[str, Any],
    *,
    event_id: str,
    now_ns: int,
    intent_id: str | None,
    vcs: Vcs | None,
) -> Event:
    """Return an event that an author causes now."""
    moment, session = rfc3339(now_ns), who.session_id
    return Event(event_id, moment, event_type, session, who.agent, who.contributor, intent_id, vcs, data)


def append(
    repository: Repository,
    who: Author,
    event_type: str,
    data: dict[str, Any],
    intent_id: str | None,
    *,
    key: Sequence[str] = (),
) -> None:
    """Record what an author causes now; a `key` tells it from whatever else is caused in this moment."""
    now_ns, vcs = time.time_ns(), head(repository)
    name = derived_id(now_ns, key[0], str(now_ns), *key[1:]) if key else new_id(now_ns)
    event = event_by(who, event_type, data, event_id=name, now_ns=now_ns, intent_id=intent_id, vcs=vcs)
    Ledger(repository).append([event])


def _heard(repository: Repository, shell: Shell) -> str | None:
    """Return the session with an open call of `linetrail`; None where several have one."""
    calls = open_calls(repository, _calls_us)
    sessions = {call.session_id for call in calls if call.agent is not None and call.agent.name == shell.agent}
    return sessions.pop() if len(sessions) == 1 else None


def _calls_us(call: Mapping[str, Any]) -> bool:
    return "linetrail" in str(call.get("command"))
