"""Find out which session calls: the protocol has no sessions, and each agent tells of its own in another way.

A hook that heard this very call is believed first, and confirms what the tool only asked for; then what the client
sends along and what it started us with; then a handle that the model made up. Where nothing is known, a choice is for
the whole worktree.
"""

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.adapters.adapter import MAX_ID, own_tool
from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.event.drafts import text_digest
from linetrail.ledger.event.event import Agent
from linetrail.ledger.intents.selection import shell
from linetrail.ledger.log import recent
from linetrail.ledger.redact.redactor import excerpt
from linetrail.ledger.repository import Repository
from linetrail.queries.record.open_calls import open_calls

# What clients call themselves, our names and others -> the agent; a name that begins like it is meant, too.
_CLIENTS = {name: name for name in CATALOGUE} | {
    alias: name for name, row in CATALOGUE.items() for alias in row.aliases
}


class Client(NamedTuple):
    """What the client said: its name and version, and what it sent along with this call."""

    name: str | None
    version: str | None
    meta: Mapping[str, Any]

    @property
    def agent(self) -> str | None:
        """Which of the agents it is, by its name."""
        told = (self.name or "").lower()
        return next((agent for begin, agent in _CLIENTS.items() if told.startswith(begin)), None)


class Caller(NamedTuple):
    """Whose call it is; `heard`: a hook saw it coming, and sees how it ends. `sessions`: of several it may be one."""

    session_id: str | None
    agent: Agent
    heard: bool = False
    sessions: tuple[str, ...] = ()


def caller(repository: Repository, client: Client, tool: str, arguments: Mapping[str, Any]) -> Caller:
    """Return whose call this is."""
    told = list(_told(client))
    calls = list(open_calls(repository, lambda call: own_tool(str(call.get("tool_name"))) == tool))
    calls = [call for call in calls if client.agent is None or call.agent is None or call.agent.name == client.agent]
    digest = text_digest(json.dumps(arguments, sort_keys=True, separators=(",", ":")))
    calls = [call for call in calls if call.data.get("input_sha256") == digest] or calls
    sessions = tuple(dict.fromkeys(call.session_id for call in calls if call.session_id))
    known = next((session for session in told if session in sessions), None)
    if known is None and len(sessions) == 1:
        known = sessions[0]
    if known is None and sessions:
        return Caller(None, _agent(repository, client, None), heard=True, sessions=sessions)
    handle = arguments.get("session_handle")
    session = known or next(iter(told), None) or (handle if isinstance(handle, str) and handle else None)
    return Caller(session, _agent(repository, client, session), heard=known is not None)


def _told(client: Client) -> Iterator[str]:
    """Yield the sessions that the client, or the agent that started us, says it is in; the surest first."""
    around = shell()
    own = [around.session_id] if around and client.agent in (None, around.agent) else []
    rows = [row for name, row in CATALOGUE.items() if client.agent in (None, name)]
    found = [*own, *(_at(client.meta, keys) for row in rows for keys in row.mcp_sessions)]
    yield from (value for value in found if isinstance(value, str) and 0 < len(value) <= MAX_ID)


def _at(values: object, keys: Sequence[str]) -> object:
    """Return what stands under these keys; a text on the way is JSON."""
    for key in keys:
        if isinstance(values, str):
            with contextlib.suppress(ValueError, RecursionError):
                values = json.loads(values)
        values = values.get(key) if isinstance(values, Mapping) else None
    return values


def _agent(repository: Repository, client: Client, session_id: str | None) -> Agent:
    """Name the agent as the hooks of its session did, else as the client or our environment does."""
    known = recent.agent_of(repository, session_id) if session_id else None
    around = shell()
    named = client.agent or (around.agent if around and not client.name else None)
    if known is not None and named in (None, known.name):
        return known
    return Agent(named or excerpt(client.name or "") or "mcp-client", client.version and excerpt(client.version))
