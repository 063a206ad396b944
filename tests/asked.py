"""Tell the ledgers of tests/asking, and hold the answers to their questions against what is expected."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from linetrail.ledger.event.event import Agent, Event, derived_id, rfc3339
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.observe.mutation import transition
from linetrail.ledger.repository import Repository, Vcs, find
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.ask.choice import Chosen, Figure, Unanswered
from linetrail.queries.ask.said import DIMENSIONS

FOLDER = Path(__file__).resolve().parent / "asking"
SETS = ("first", "second")
# Most questions read some of these.
HELD = ("v_findable", "v_files", "v_sessions", "v_commits", "v_mutations", "v_mutation_classes", "v_token_usage",
        "v_tool_calls", "v_commit_matches")  # fmt: skip
# of named.yaml, whose questions are asked of the first ledger
NAMED = ("used", "held", "fresh", "last")


@contextmanager
def held_tables(repository: Repository) -> Iterator[Tables]:
    """Open tables for many questions: planning a view for each takes longer than all else."""
    with open_tables(repository) as tables:
        for name in HELD:
            tables.hold(name)
        yield tables


class Question(NamedTuple):
    """What is asked, and the ids of which one has to be on top."""

    text: str
    right: frozenset[str]


class Asked:
    """One ledger with its questions, told from a file."""

    def __init__(self, name: str) -> None:
        """Read the file and make the events."""
        told = yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8"))
        self.now: datetime = told["now"].astimezone(UTC)
        self._intents: Mapping[str, Any] = told["intents"]
        self._sessions: dict[str, tuple[Agent, str | None]] = {}
        self._files: dict[str, bytes] = {}
        self._created: set[str] = set()
        self._ids: dict[str, set[str]] = {}
        self.events: list[Event] = []
        for record in told["events"]:
            self._tell(record)
        self.questions = [
            Question(one["ask"], frozenset().union(*(self._ids[name] for name in one["answer"])))
            for one in told["questions"]
        ]

    def written(self, path: Path) -> None:
        """Append all events to the ledger of the repository at a path."""
        for at in range(0, len(self.events), 100):
            Ledger(find(str(path))).append(self.events[at : at + 100])

    def is_answered(self, expected: Mapping[str, Any], got: Chosen | Unanswered | None, found: Sequence[str]) -> bool:
        """Tell whether a question of plain.yaml came to what is expected: the ids of the rows found are best first."""
        listed = isinstance(got, Chosen) and got.figure is not None and "answer" in expected
        if not listed and (got is not None or ("name" in expected and "answer" not in expected)):
            return is_right(expected, got)
        if expected.get("cannot"):
            return not found
        return bool(found) and any(found[0] in self._ids.get(name, {name}) for name in expected["answer"])

    def _tell(self, record: Mapping[str, Any]) -> None:
        """Make the events of one record; what a session was told at its start holds on."""
        session = record.get("session")
        if record["does"] == "start":
            self._sessions[session] = Agent(record["agent"], "1.0", record["model"]), record.get("intent")
        _, intent = self._sessions.get(session, (None, None))
        intent = record.get("intent", intent)
        if intent is not None and intent not in self._created and record["does"] != "create":
            self._create(record, intent, "-implied")
        if record["does"] == "create":
            self._create(record, intent, "")
        else:
            self._made(record, intent)

    def _create(self, record: Mapping[str, Any], intent: str, suffix: str) -> None:
        self._created.add(intent)
        after = self._state(intent, "IN_PROGRESS")
        self._add(record, "intent.created", {"intent_id": intent, "after": after, "by": "command"}, intent, suffix)
        self._ids.setdefault(record["name"], set()).add(intent if not suffix else "")

    def _made(self, record: Mapping[str, Any], intent: str | None) -> None:
        names = {*self._ids.get(record["name"], ())}
        for at, (kind, data) in enumerate(self._events(record)):
            event = self._add(record, kind, data, intent, str(at))
            names |= {event.id, *(data[key] for key in _NAMES if isinstance(data.get(key), str))}
        if record["does"] == "start":
            names.add(record["session"])
        if record["does"] == "complete":
            names.add(str(intent))
        if record["does"] == "use":
            names.clear()
        self._ids[record["name"]] = names

    def _add(
        self, record: Mapping[str, Any], kind: str, data: Mapping[str, Any], intent: str | None, suffix: str
    ) -> Event:
        session = record.get("session")
        agent, _ = self._sessions.get(session, (None, None))
        human = record.get("by") == "human" or kind in _BY_PEOPLE
        moment = datetime.fromisoformat(f"{record['at']}+00:00")
        now_ns = int(moment.timestamp()) * 1_000_000_000 + len(self.events) * 1000
        event = Event(
            id=derived_id(now_ns, record["name"], suffix, kind),
            timestamp=rfc3339(now_ns),
            type=kind,
            session_id=session,
            agent=None if human and kind != "prompt.submitted" else agent,
            contributor="human" if human else "ai",
            intent_id=intent,
            vcs=Vcs("git", "a" * 40, "main"),
            data=dict(data),
        )
        self.events.append(event)
        return event

    def _events(self, record: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        does, call = record["does"], {"tool_call_id": f"toolu_{record['name']}"}
        if does in ("write", "remove"):
            return [self._mutation(record, call)]
        if does == "complete":
            states = {"before": self._state(record["intent"], "IN_PROGRESS")}
            after = self._state(record["intent"], "DONE")
            return [("intent.completed", states | {"intent_id": record["intent"], "after": after, "by": "command"})]
        return list(_DOES[does](record, call))

    def _mutation(self, record: Mapping[str, Any], call: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        files = record["files"] if record["does"] == "write" else {record["path"]: None}
        entries = [entry for path, text in files.items() for entry in self._edit(path, text)]
        tool = {"via": "human"} if record.get("by") == "human" else {**call, "tool_name": "Write", "via": "tool"}
        return "mutation.observed", tool | {"files": entries}

    def _edit(self, path: str, text: str | None) -> list[dict[str, Any]]:
        before = self._files.pop(path, None) or (b"old\n" if text is None else None)
        if text is not None:
            self._files[path] = text.encode()
        return transition(path, before, self._files.get(path))

    def _state(self, intent: str, status: str) -> dict[str, Any]:
        told = self._intents[intent]
        return {"id": intent, "name": told["title"], "status": status, "scope": told["scope"]}


def by_name(name: str) -> list[dict[str, Any]]:
    """Return the questions of one set of named.yaml, each with what is expected."""
    told: dict[str, list[dict[str, Any]]] = yaml.safe_load((FOLDER / "named.yaml").read_text("utf-8"))
    return told[name]


def plain(name: str) -> list[dict[str, Any]]:
    """Return the questions of one set of plain.yaml, each with what is expected."""
    told: dict[str, list[dict[str, Any]]] = yaml.safe_load((FOLDER / "plain.yaml").read_text("utf-8"))
    return told[name]


def is_right(expected: Mapping[str, Any], got: Chosen | Unanswered | None) -> bool:
    """Tell whether a question came to what is expected: a named question with its parameters, a refusal, a search."""
    if not isinstance(got, Chosen):
        return bool(expected.get("rows") if got is None else expected.get("cannot"))
    wanted = expected.get("told", {})
    if not got.question.name and got.figure is not None:
        return _is_same(expected, got, got.figure, wanted)
    return got.question.name in expected.get("name", ()) and all(
        _plain(got.told.get(key)) == _plain(value) for key, value in wanted.items()
    )


def _is_same(expected: Mapping[str, Any], got: Chosen, figure: Figure, wanted: Mapping[str, Any]) -> bool:
    """Tell whether a question was read as one over what a named question is about, with all that was said."""
    names = [name for name in expected.get("name", ()) if _MEASURED.get(name, figure.column) == figure.column]
    things = {thing for name in names for thing in _THINGS.get(name, ())}
    things |= {_KINDS.get(wanted["kind"], wanted["kind"])} if "kind" in wanted else set()
    told = {_FILLED.get(key, key): str(_plain(value)).lower().replace("\\", "") for key, value in got.told.items()}
    same = all(str(_plain(value)).lower() in told.get(key, "") for key, value in wanted.items() if key in _SAID)
    by = next((value for key, value in wanted.items() if key in DIMENSIONS), "total")
    summed = by in ("total", figure.by) or by in told or (by == "contributor" and figure.shape == "share")
    return bool(expected.get("rows")) or (figure.thing in things and same and summed)


# What a question over things has to be told as well, and what it calls it.
_SAID = frozenset({"agent", "model", "intent", "session", "contributor", "path", "since", "until"})
_FILLED = {"file": "path"}
# A named question -> the things over which the same may be asked.
_THINGS = {
    "lines_by": ("line",),
    "file_share": ("line", "change"),
    "changes_by": ("change",),
    "hot_files": ("change",),
    "changes": ("change",),
    "intent_lead_time": ("intent",),
    "cost_by": ("usage", "session"),
    "tokens_by": ("usage", "session"),
    "sessions": ("session",),
    "commits": ("commit",),
    "rejections": ("verdict", "approval"),
    "class_mix": ("change",),
    "mutations_without_intent": ("change",),
    "thin_decisions": ("decision",),
    "shell_side_writes": ("change",),
    "tool_failures": ("call",),
    "approvals": ("approval",),
    "decisions_for": ("decision",),
    "lessons": ("lesson",),
    "activity": ("event", "session"),
}
# Of these, what has to be measured of the thing.
_MEASURED = {"intent_lead_time": "seconds"}
# What count_by calls the rows -> the thing.
_KINDS = {"refusal": "verdict", "command": "call", "read": "call", "recovery point": "point"}


def _plain(value: Any) -> Any:
    return value.date() if isinstance(value, datetime) else value


def _start(_: Mapping[str, Any], __: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "session.started", {"source": "startup", "cwd": "."}


def _prompt(record: Mapping[str, Any], _: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "prompt.submitted", {"excerpt": record["text"][:200], "length": len(record["text"])}


def _think(record: Mapping[str, Any], _: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "thought.recorded", {"excerpt": record["text"][:200], "length": len(record["text"])}


def _run(record: Mapping[str, Any], call: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    shell = {**call, "tool_name": "Bash", "operation": "shell"}
    yield "tool.requested", shell | {"command": record["command"]}
    if record.get("failed"):
        yield "tool.failed", shell | {"error": record["error"], "exit_code": 1}
    else:
        yield "tool.completed", shell | {"exit_code": 0}


def _deny(record: Mapping[str, Any], call: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    command, path = record.get("command"), record.get("path")
    tool = {"tool_name": "Bash", "operation": "shell"} if command else {"tool_name": "Write", "operation": "write"}
    targets = [{"path": path, "role": "write"}] if path else []
    yield "tool.requested", {**call, **tool, "command": command, "targets": targets}
    judged = {"verdict": "deny", "code": record["code"], "reason": record["reason"], "source": "linetrail"}
    paths = [{"path": path, "code": record["code"]}] if path else []
    call_id = {"tool_call_id": call["tool_call_id"], "tool_name": tool["tool_name"]}
    yield "gate.decided", call_id | judged | {"mode": "block", "enforced": True, "paths": paths}


def _approve(record: Mapping[str, Any], _: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    action = {"approval_id": "A-1", "approved": True, "action": f"write {record['path']}"}
    yield "approval.decided", action | {"tool_name": "Write", "reason": record["words"]}


def _decide(record: Mapping[str, Any], _: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    ways = [one.partition(": ") for one in record.get("alternatives", ())]
    yield (
        "decision.recorded",
        {
            "decision_id": record["id"],
            "title": record["title"],
            "rationale": record.get("why"),
            "status": record.get("status", "accepted"),
            "alternatives": [{"option": option, "why_rejected": why or None} for option, _, why in ways],
            "lines": record.get("lines"),
        },
    )


def _learn(record: Mapping[str, Any], _: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    lesson = {"lesson_id": f"L-{record['name']}", "title": record["title"], "source": "demand"}
    yield "lesson.recorded", lesson | {"body": record.get("body")}


def _mark(record: Mapping[str, Any], _: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "recovery_point.marked", {"name": record["title"], "point_id": f"R-{record['name']}"}


def _use(record: Mapping[str, Any], _: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    tokens = {"input_tokens": record["input"], "output_tokens": record["output"]}
    yield "usage.recorded", tokens | {"usage_key": f"{record['name']}:", "message_id": record["name"]}


_DOES: Mapping[str, Callable[..., Iterator[tuple[str, dict[str, Any]]]]] = {
    "start": _start,
    "prompt": _prompt,
    "think": _think,
    "run": _run,
    "deny": _deny,
    "approve": _approve,
    "decide": _decide,
    "learn": _learn,
    "mark": _mark,
    "use": _use,
}
_NAMES = ("decision_id", "lesson_id", "point_id", "tool_call_id", "approval_id")
_BY_PEOPLE = ("prompt.submitted", "approval.decided", "intent.created", "intent.completed")
