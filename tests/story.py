"""Write ledgers for tests: short sessions on a clock that every event moves by one minute.

The same story gives the same bytes. Edits are told by what a file holds afterwards; their hunks are worked out by the
code that the hooks use.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import yaml

from linetrail.ledger.event.event import Agent, Event, derived_id, rfc3339
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.observe.mutation import transition
from linetrail.ledger.repository import Vcs, find

# 2026-01-05T09:00:00Z, a Monday
BEGINNING = 1_767_603_600_000_000_000
MINUTE = 60_000_000_000
DAY = 24 * 60 * MINUTE
CLAUDE = "claude-code"
MODELS = {CLAUDE: "anthropic/claude-opus-5", "codex": "openai/gpt-6"}
REVISION = "a" * 40
CASES = Path(__file__).parent / "cases"


class Story:
    """Events in the making. `edits` and everything else may be given as keywords or as one record of a case file.

    `days` are days that pass before an event.
    """

    def __init__(self) -> None:
        self._numbers = count(1)
        self._passed = 0
        self.files: dict[str, bytes] = {}
        self.events: list[Event] = []

    def tell(
        self,
        event_type: str,
        data: Mapping[str, Any] | None = None,
        *,
        session: str | None = "s1",
        agent: str | None = CLAUDE,
        contributor: str | None = None,
        intent: str | None = None,
        revision: str | None = REVISION,
        edits: Mapping[str, str | None] | None = None,
        days: int = 0,
    ) -> Event:
        """Add one event; `edits` says what each file holds after it, None when it is gone."""
        number = next(self._numbers)
        self._passed += days * DAY
        now = BEGINNING + number * MINUTE + self._passed
        body = dict(data or {})
        if edits is not None:
            body = {"via": "tool"} | body | {"files": [entry for edit in edits.items() for entry in self._edit(*edit)]}
        event = Event(
            id=derived_id(now, str(number)),
            timestamp=rfc3339(now),
            type=event_type,
            session_id=session,
            agent=Agent(agent, "1.0", MODELS.get(agent)) if agent else None,
            contributor=contributor or ("human" if event_type == "prompt.submitted" else "ai"),
            intent_id=intent,
            vcs=Vcs("git", revision, "main") if revision else None,
            data=body,
        )
        self.events.append(event)
        return event

    def call(self, tool: str, operation: str, path: str | None = None, **data: Any) -> str:
        """Add a tool call that completes, with whatever else its request says; return its id."""
        call_id = f"toolu_{len(self.events):02}"
        call = {"tool_call_id": call_id, "tool_name": tool, "operation": operation}
        targets = [{"path": path, "role": operation}] if path else []
        self.tell("tool.requested", call | {"targets": targets} | data)
        self.tell("tool.completed", call | {"duration_ms": 10})
        return call_id

    def told(self, records: Iterable[Mapping[str, Any]]) -> "Story":
        """Add the events of a case file: the one key with a dot is the type, with the data under it."""
        for record in records:
            event_type = next(key for key in record if "." in key)
            fields = {key: value for key, value in record.items() if key != event_type}
            self.tell(event_type, record[event_type], **fields)
        return self

    def written(self, path: Any) -> None:
        """Append everything told so far to the ledger of the repository at a path."""
        Ledger(find(str(path))).append(self.events)
        self.events = []

    def hold(self, path: str, text: str) -> None:
        """Let a file hold this from now on though no event says so: another branch is checked out."""
        self.files[path] = text.encode()

    def _edit(self, path: str, after: str | None) -> list[dict[str, Any]]:
        before = self.files.pop(path, None)
        if after is not None:
            self.files[path] = after.encode()
        return transition(path, before, self.files.get(path))


@cache
def cases() -> dict[str, Any]:
    """Return the case of each named question by its name."""
    return {path.name: yaml.safe_load((path / "case.yaml").read_text("utf-8")) for path in sorted(CASES.iterdir())}


def tell_cases(repo: Any) -> dict[str, Any]:
    """Write the stories of all cases into one repository and its ledger; return the cases."""
    told, found = Story(), cases()
    for case in found.values():
        for commit in case.get("commits", ()):
            repo.commit(commit["message"], commit["files"])
        told.told(case["events"])
    told.written(repo.path)
    return found
