"""Make signals and events of the messages of a session, from what its records have told so far."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from linetrail.ledger.adapters import claude_code
from linetrail.ledger.event.drafts import Draft
from linetrail.ledger.event.event import MAX_INT, Agent, Event, derived_id, rfc3339
from linetrail.ledger.event.signal import Signal
from linetrail.ledger.redact.redactor import Redactor
from linetrail.ledger.repository import Vcs
from linetrail.queries.importers.message import Message, name_in
from linetrail.queries.importers.register import unique
from linetrail.queries.importers.roots import Root
from linetrail.queries.importers.transcript import Counts

PRODUCT = claude_code.NAME


class Found(NamedTuple):
    """An event, and the counts of the transcript that told it."""

    counts: Counts
    event: Event


class Session:
    """A conversation as far as it was read; models and usage are per agent, None is the main one."""

    def __init__(self, session_id: str, redactor: Redactor) -> None:
        self.session_id = session_id
        self.redactor = redactor
        self.version: str | None = None
        self.vcs: Vcs | None = None
        self.permission_mode: str | None = None
        self.prompt_id: str | None = None
        self.models: dict[str | None, str] = {}
        # the last report on the answer that an agent is giving, and the key of that answer
        self.usage: dict[str | None, tuple[str, Found]] = {}

    def learn(self, record: Mapping[str, Any]) -> None:
        """Learn the version, mode and branch that a record tells besides its message."""
        self.version = name_in(record, "version") or self.version
        self.permission_mode = name_in(record, "permissionMode") or self.permission_mode
        branch = name_in(record, "gitBranch")
        if branch:
            self.vcs = Vcs("git", None, None if branch == "HEAD" else branch)

    def agent(self, agent_id: str | None) -> Agent:
        return Agent(PRODUCT, self.version, self.models.get(agent_id, self.models.get(None)))


class Record:
    """One record of a history, as the source of the events that it gives; `counts` are those of that history."""

    def __init__(
        self, agent: Agent, root: Root, counts: Counts, session_id: str, time: int, *, cwd: str | None, vcs: Vcs | None
    ) -> None:
        self.agent, self.root, self.counts, self.cwd, self.vcs = agent, root, counts, cwd, vcs
        self._session_id, self._time = session_id, time

    def stored(self, path: str) -> str | None:
        """Return the stored form of a path in the record; None outside the repository."""
        return self.root.relative(path, self.cwd)

    def unique(self, name: str) -> str:
        """Return a name that no other session has."""
        return unique(name, self._session_id)

    def event_id(self, *key: str) -> str:
        """Return the id that such an event has whenever and from wherever it is imported."""
        return derived_id(self._time, self.agent.name, *key)

    def found(self, draft: Draft, *key: str) -> Found:
        """Make the event of a draft; the key is what tells it from all others at its time."""
        seen = draft.data.get("via") != "unseen"
        event = Event(
            id=self.event_id(*key),
            timestamp=rfc3339(self._time),
            type=draft.type,
            session_id=self._session_id,
            agent=self.agent if seen else None,
            contributor=draft.contributor,
            intent_id=None,
            vcs=self.vcs,
            data=draft.data,
        )
        return Found(self.counts, event)


class MessageRecord(Record):
    """One message in its session. `fresh` is False for a copy of a message that was read before."""

    def __init__(self, session: Session, said: Message, root: Root, counts: Counts, *, fresh: bool) -> None:
        agent, told = session.agent(said.agent_id), said.record.get("cwd")
        cwd = told if isinstance(told, str) and told else None
        super().__init__(agent, root, counts, session.session_id, said.time, cwd=cwd, vcs=session.vcs)
        self.session, self.said, self.fresh = session, said, fresh

    def signal(self, event: str, **fields: Any) -> Signal:
        """Read a part of the message as the payload that a hook would have been given."""
        payload = {
            "hook_event_name": event,
            "session_id": self.session.session_id,
            "agent_id": self.said.agent_id,
            "permission_mode": self.session.permission_mode,
            "prompt_id": self.session.prompt_id,
        }
        return claude_code.read(payload | fields, None)


def count_of(value: object) -> int | None:
    """Return a number of tokens; None for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_INT else None
