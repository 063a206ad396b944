"""Check the promises of the demonstration against the ledger alone."""

import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from linetrail.ledger.event.event import Event
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.observe.content import digest
from linetrail.ledger.repository import Repository
from linetrail.projections.classify.judgement import AST_REFACTOR
from linetrail.projections.tables.soundness import examine
from linetrail.projections.tables.tables import Table
from linetrail.queries.ask.ask import ask
from linetrail.queries.demonstration.play import session_of
from linetrail.queries.demonstration.story import (
    ARCHITECT,
    BUILDER,
    BUILDING,
    DESCRIBING,
    LESSON,
    OLD,
    PAGE,
    REFACTORED,
    SHARED,
)
from linetrail.queries.render.text import counted

COLUMNS = ("step", "agent", "event", "verdict", "code", "expected", "observed", "event_id", "ok")
NOTHING = "nothing"


class Facts:
    """The ledger of the demonstration, as it is on the disk."""

    def __init__(self, repository: Repository) -> None:
        """Read all of it."""
        self.repository = repository
        self.events = [line.event for line in Ledger(repository).read()]

    def of(self, agent: str, event_type: str) -> Iterator[Event]:
        """Yield the events of one type in the session of one agent, in the order of the ledger."""
        session = session_of(agent)
        return (event for event in self.events if event.type == event_type and event.session_id == session)

    def change(self, agent: str, path: str) -> tuple[Event, dict[str, Any]] | None:
        """Return the last change of a file by an agent: the event, and its entry for the file."""
        found = [
            (event, file)
            for event in self.of(agent, "mutation.observed")
            for file in event.data["files"]
            if file["path"] == path
        ]
        return found[-1] if found else None

    def verdict(self, agent: str, path: str, code: str) -> Event | None:
        """Return the gate's decision on a call for this file: the first with this code, else the last."""
        about = [event for event in self.of(agent, "gate.decided") if path in _paths(event)]
        return next((event for event in about if event.data["code"] == code), about[-1] if about else None)

    def was_carried_out(self, verdict: Event) -> bool:
        """Return whether the call of a verdict completed."""
        call = verdict.data["tool_call_id"]
        ends = (event for event in self.events if event.type in ("tool.completed", "tool.failed"))
        return any(event.data.get("tool_call_id") == call for event in ends)


class Found(NamedTuple):
    """What the ledger shows for a promise."""

    observed: str = NOTHING
    event: Event | None = None


class Promise(NamedTuple):
    """Something that must be in the ledger; `step` is the step that causes it, if there is one."""

    step: str | None
    says: str
    agent: str | None
    event: str
    expected: str
    look: Callable[[Facts], Found]


def kept(facts: Facts) -> Table:
    """Return a row for each promise."""
    return Table(COLUMNS, [_row(promise, promise.look(facts)) for promise in PROMISES])


def all_kept(rows: Table) -> bool:
    """Return whether the ledger shows every promise to be kept."""
    return all(row["ok"] for row in rows.mappings())


def sessions() -> dict[str, str]:
    """Return the session id of each agent."""
    return {name: session_of(name) for name in (ARCHITECT, BUILDER)}


def _row(promise: Promise, found: Found) -> tuple[object, ...]:
    told = found.event.data if found.event is not None and found.event.type == "gate.decided" else {}
    return (
        promise.says,
        promise.agent,
        promise.event,
        told.get("verdict"),
        told.get("code"),
        promise.expected,
        found.observed,
        found.event and found.event.id,
        found.observed == promise.expected,
    )


def _paths(verdict: Event) -> list[str]:
    return [judged["path"] for judged in verdict.data["paths"]]


def _refused(agent: str, path: str, code: str) -> Callable[[Facts], Found]:
    """Return a check that a call was denied and never completed."""

    def look(facts: Facts) -> Found:
        verdict = facts.verdict(agent, path, code)
        if verdict is None:
            return Found()
        said = f"{verdict.data['verdict']} {verdict.data['code']}"
        if not verdict.data["enforced"]:
            return Found(f"{said}, let through", verdict)
        return Found(f"{said}, done all the same" if facts.was_carried_out(verdict) else f"{said}, not done", verdict)

    return look


def _selected(agent: str) -> Callable[[Facts], Found]:
    def look(facts: Facts) -> Found:
        chosen = list(facts.of(agent, "intent.selected"))
        return Found(str(chosen[-1].data["intent_id"]), chosen[-1]) if chosen else Found()

    return look


def _recorded(facts: Facts) -> Found:
    """Compare the recorded hash of the refactored file with the file itself."""
    change = facts.change(BUILDER, REFACTORED)
    if change is None:
        return Found()
    event, file = change
    with open(os.path.join(facts.repository.root, REFACTORED), "rb") as content:
        same = file["after_hash"] == digest(content.read())
    return Found(f"{event.intent_id}, {'its content hash' if same else 'another content hash'}", event)


def _classified(facts: Facts) -> Found:
    change = facts.change(BUILDER, REFACTORED)
    for event in facts.events:
        if event.type == "mutation.classified" and change and event.data.get("mutation_id") == change[0].id:
            return Found(str(event.data["mutation_class"]), event)
    return Found()


def _stale(facts: Facts) -> Found:
    """Find the refusal, and check that the content it found is the other agent's."""
    refused = _refused(BUILDER, SHARED, "STALE_FILE")(facts)
    other = facts.change(ARCHITECT, SHARED)
    if refused.event is None or other is None:
        return refused
    seen = [judged["found_hash"] for judged in refused.event.data["paths"]]
    return refused if other[1]["after_hash"] in seen else refused._replace(observed=f"{refused.observed}, by nobody")


def _read_again(facts: Facts) -> Found:
    """Check that the Builder's change starts from the Architect's content."""
    mine, other = facts.change(BUILDER, SHARED), facts.change(ARCHITECT, SHARED)
    if mine is None or other is None:
        return Found()
    follows = mine[1]["before_hash"] == other[1]["after_hash"]
    return Found("on top of the Architect's change" if follows else "on top of something else", mine[0])


def _lesson(facts: Facts) -> Found:
    for event in facts.of(BUILDER, "lesson.recorded"):
        if LESSON.startswith(str(event.data["title"])):
            return Found(str(event.data["path"]), event)
    return Found()


def _together(facts: Facts) -> Found:
    """Check that each session started before the other ended."""
    spans = []
    for name in (ARCHITECT, BUILDER):
        own = [at for at, event in enumerate(facts.events) if event.session_id == session_of(name)]
        if not own:
            return Found()
        spans.append((own[0], own[-1]))
    (begin, end), (other_begin, other_end) = spans
    at_once = begin < other_end and other_begin < end
    return Found("at the same time" if at_once else "one after the other", facts.events[max(begin, other_begin)])


def _done_all_the_same(facts: Facts) -> Found:
    return Found(counted(len(ask(facts.repository, "denied_but_executed").rows), "file"))


def _sound(facts: Facts) -> Found:
    return Found(counted(len(examine(facts.repository, full=True).problems), "problem"))


PROMISES = (
    Promise(
        "no intent",
        "a destructive command without an intent is refused",
        BUILDER,
        "gate.decided",
        "deny NO_INTENT, not done",
        _refused(BUILDER, OLD, "NO_INTENT"),
    ),
    Promise(
        "architect selects", "an intent is selected", ARCHITECT, "intent.selected", DESCRIBING, _selected(ARCHITECT)
    ),
    Promise("builder selects", "an intent is selected", BUILDER, "intent.selected", BUILDING, _selected(BUILDER)),
    Promise(
        "refactor",
        "a refactor is recorded with intent and content hash",
        BUILDER,
        "mutation.observed",
        f"{BUILDING}, its content hash",
        _recorded,
    ),
    Promise("refactor", "and proved to be one", BUILDER, "mutation.classified", AST_REFACTOR, _classified),
    Promise(
        "out of scope",
        "a write outside of the scope is refused",
        BUILDER,
        "gate.decided",
        "deny OUT_OF_SCOPE, not done",
        _refused(BUILDER, PAGE, "OUT_OF_SCOPE"),
    ),
    Promise(
        "stale",
        "a write over what another agent changed meanwhile is refused",
        BUILDER,
        "gate.decided",
        "deny STALE_FILE, not done",
        _stale,
    ),
    Promise("lesson", "a lesson is recorded", BUILDER, "lesson.recorded", SHARED, _lesson),
    Promise(
        "read again",
        "read again, the same write goes through",
        BUILDER,
        "mutation.observed",
        "on top of the Architect's change",
        _read_again,
    ),
    Promise(None, "both agents work", None, "session.started", "at the same time", _together),
    Promise(None, "what was refused and done all the same", None, "mutation.observed", "0 files", _done_all_the_same),
    Promise(None, "what is wrong with the ledger", None, "ledger", "0 problems", _sound),
)
