"""Check the promises of the demonstration against the ledger alone."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.event.event import Event
from linetrail.ledger.files import digest
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.verification import examine
from linetrail.queries.ask.ask import ask
from linetrail.queries.demonstration.play import session_of
from linetrail.queries.demonstration.story import ARCHITECT, BUILDER, GATE, STORY
from linetrail.queries.render.text import counted

COLUMNS = ("step", "agent", "event", "verdict", "code", "expected", "observed", "event_id", "ok")
NOTHING = "nothing"


class Facts:
    """The ledger of the demonstration, as it is on the disk."""

    def __init__(self, repository: Repository, story: str = GATE) -> None:
        self.repository, self._story = repository, story
        self.events = [line.event for line in Ledger(repository).read()]

    def of(self, agent: str, event_type: str) -> Iterator[Event]:
        """Yield the events of one type in the session of one agent, in the order of the ledger."""
        session = session_of(agent, self._story)
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
        call = verdict.data["tool_call_id"]
        ends = (event for event in self.events if event.type in ("tool.completed", "tool.failed"))
        return any(event.data.get("tool_call_id") == call for event in ends)


class Found(NamedTuple):
    """What the ledger shows for a promise."""

    observed: str = NOTHING
    event: Event | None = None


class Promise(NamedTuple):
    """Something that must be in the ledger; `step` is the step that causes it, if there is one.

    `check` names the function that looks for it, and `of` what that is told beside the agent.
    """

    says: str
    event: str
    expected: str
    check: str
    step: str | None = None
    agent: str | None = None
    of: Sequence[str] = ()

    def look(self, facts: Facts, checks: "Checks") -> Found:
        """Return what the ledger shows."""
        return checks[self.check](facts, self.agent or "", *self.of)


# a name of stories -> who looks for it in the ledger, told the agent and whatever else the promise names
Checks = Mapping[str, Callable[..., Found]]
PROMISES = tuple(Promise(**promise) for promise in STORY["promises"])


def kept(facts: Facts, promises: Sequence[Promise] = PROMISES, checks: "Checks | None" = None) -> Table:
    """Return a row for each promise; `checks` are further functions that look for one."""
    known = {**CHECKS, **(checks or {})}
    return Table(COLUMNS, [_row(promise, promise.look(facts, known)) for promise in promises])


def all_kept(rows: Table) -> bool:
    """Return whether the ledger shows every promise to be kept."""
    return all(row["ok"] for row in rows.mappings())


def sessions() -> dict[str, str]:
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


def _refused(facts: Facts, agent: str, path: str, code: str) -> Found:
    """Find a denial that counted, of a call that never completed."""
    verdict = facts.verdict(agent, path, code)
    if verdict is None:
        return Found()
    said = f"{verdict.data['verdict']} {verdict.data['code']}"
    if not verdict.data["enforced"]:
        return Found(f"{said}, let through", verdict)
    return Found(f"{said}, done all the same" if facts.was_carried_out(verdict) else f"{said}, not done", verdict)


def _selected(facts: Facts, agent: str) -> Found:
    chosen = list(facts.of(agent, "intent.selected"))
    return Found(str(chosen[-1].data["intent_id"]), chosen[-1]) if chosen else Found()


def _recorded(facts: Facts, agent: str, path: str) -> Found:
    """Compare the recorded hash of a file with the file itself."""
    change = facts.change(agent, path)
    if change is None:
        return Found()
    event, file = change
    with open(os.path.join(facts.repository.root, path), "rb") as content:
        same = file["after_hash"] == digest(content.read())
    return Found(f"{event.intent_id}, {'its content hash' if same else 'another content hash'}", event)


def _classified(facts: Facts, agent: str, path: str) -> Found:
    change = facts.change(agent, path)
    for event in facts.events:
        if event.type == "mutation.classified" and change and event.data.get("mutation_id") == change[0].id:
            return Found(str(event.data["mutation_class"]), event)
    return Found()


def _stale(facts: Facts, agent: str, path: str, other: str) -> Found:
    """Find the refusal, and check that the content it found is the other agent's."""
    refused, change = _refused(facts, agent, path, "STALE_FILE"), facts.change(other, path)
    if refused.event is None or change is None:
        return refused
    seen = [judged["found_hash"] for judged in refused.event.data["paths"]]
    return refused if change[1]["after_hash"] in seen else refused._replace(observed=f"{refused.observed}, by nobody")


def _read_again(facts: Facts, agent: str, path: str, other: str) -> Found:
    """Check that an agent's change starts from the other agent's content."""
    mine, theirs = facts.change(agent, path), facts.change(other, path)
    if mine is None or theirs is None:
        return Found()
    follows = mine[1]["before_hash"] == theirs[1]["after_hash"]
    return Found(f"on top of the {other}'s change" if follows else "on top of something else", mine[0])


def _lesson(facts: Facts, agent: str) -> Found:
    taught = [step["text"] for step in STORY["parts"][agent] if step.get("tool") == "record_lesson"]
    for event in facts.of(agent, "lesson.recorded"):
        if any(text.startswith(str(event.data["title"])) for text in taught):
            return Found(str(event.data["path"]), event)
    return Found()


def _together(facts: Facts, _: str) -> Found:
    """Check that each session started before the other ended."""
    spans = []
    for session in sessions().values():
        own = [at for at, event in enumerate(facts.events) if event.session_id == session]
        if not own:
            return Found()
        spans.append((own[0], own[-1]))
    (begin, end), (other_begin, other_end) = spans
    at_once = begin < other_end and other_begin < end
    return Found("at the same time" if at_once else "one after the other", facts.events[max(begin, other_begin)])


def _done_all_the_same(facts: Facts, _: str) -> Found:
    return Found(counted(len(ask(facts.repository, "denied_but_executed").rows), "file"))


def _sound(facts: Facts, _: str) -> Found:
    return Found(counted(len(examine(facts.repository, full=True).problems), "problem"))


CHECKS: Checks = {
    "refused": _refused,
    "selected": _selected,
    "recorded": _recorded,
    "classified": _classified,
    "stale": _stale,
    "read_again": _read_again,
    "lesson": _lesson,
    "together": _together,
    "done_all_the_same": _done_all_the_same,
    "sound": _sound,
}
