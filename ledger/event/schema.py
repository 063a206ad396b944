"""The published contract of events: the envelope, and the union of all types over it.

Nothing here runs when an event is written or read: pydantic alone costs more than a whole hook. Tests prove
that what the hooks write validates; ``event.schema.json`` and the tables of FORMAT.md are made from here.
"""

import re
from functools import cache, reduce
from importlib import import_module
from operator import or_
from typing import Annotated, Any, Literal, cast

from pydantic import Field, TypeAdapter, ValidationError, create_model

from linetrail.ledger.event.data.shared import Count, Data, Fact, GitId
from linetrail.ledger.event.event import VERSION, from_line

EventId = Annotated[str, Field(pattern="^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")]
Timestamp = Annotated[str, Field(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{6}Z$")]
LineDigest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]

# Stored names never change; a type is only ever added. Behind each stands what its data are, in `data/`.
DATA = {
    "session.started": "sessions.SessionStarted",
    "session.ended": "sessions.SessionEnded",
    "prompt.submitted": "sessions.PromptSubmitted",
    "intent.created": "gate.IntentRevision",
    "intent.changed": "gate.IntentRevision",
    "intent.completed": "gate.IntentRevision",
    "criterion.checked": "gate.CriterionChecked",
    "intent.selected": "gate.IntentSelected",
    "intent.cleared": "gate.IntentCleared",
    "tool.requested": "sessions.ToolRequested",
    "tool.completed": "sessions.ToolCompleted",
    "tool.failed": "sessions.ToolFailed",
    "gate.decided": "gate.GateDecided",
    "gate.violation": "gate.GateViolated",
    "approval.decided": "gate.ApprovalDecided",
    "approval.deferred": "gate.ApprovalDeferred",
    "approval.revoked": "gate.ApprovalRevoked",
    "gate.reset": "gate.GateReset",
    "mutation.observed": "changes.MutationObserved",
    "mutation.classified": "classification.MutationClassified",
    "decision.recorded": "knowledge.DecisionRecorded",
    "lesson.recorded": "knowledge.LessonRecorded",
    "lessons.shown": "knowledge.LessonsShown",
    "thought.recorded": "knowledge.ThoughtRecorded",
    "recovery_point.marked": "work.RecoveryPointMarked",
    "work.moved": "work.WorkMoved",
    "lease.broken": "work.LeaseBroken",
    "correction.recorded": "changes.CorrectionRecorded",
    "commit.observed": "changes.CommitObserved",
    "authorship.stated": "changes.AuthorshipStated",
    "usage.recorded": "sessions.UsageRecorded",
    "ledger.sealed": "ledger.LedgerSealed",
    "ledger.repaired": "ledger.LedgerRepaired",
    "ledger.restored": "ledger.LedgerRestored",
    "ledger.lost": "ledger.LedgerLost",
    "ledger.missed": "ledger.LedgerMissed",
    "payload.erased": "ledger.PayloadErased",
    "agent.signalled": "sessions.AgentSignalled",
    "payload.rejected": "sessions.PayloadRejected",
}


class Agent(Fact):
    """The product that acted."""

    name: str
    version: str | None
    model_id: str | None
    """`provider/model`."""


class Vcs(Fact):
    """Where the repository stood."""

    type: Literal["git"]
    revision: GitId | None
    """HEAD, so the parent of the commit that will hold the change; null before the first commit."""
    branch: str | None
    """Null when HEAD is detached."""
    dirty: bool | None
    """Whether git lists anything that is not committed: asked at the start of a session. Elsewhere no hook waits for
    git to say so, and null is not known."""


class Envelope(Fact):
    """What every event carries, in this order."""

    v: Literal[1]
    """Version of the format."""
    id: EventId
    """UUIDv7; the same record imported twice has the same id."""
    seq: Count
    """Place in its chain, from 1, without a gap; 0 in the header of a segment. Clocks tell no order."""
    prev: LineDigest
    """SHA-256 of the bytes of the line before, newline included; 64 zeros before the first."""
    timestamp: Timestamp
    """When it happened, in UTC, as the machine's clock said."""
    type: str
    session_id: str | None
    """The conversation; the events of a subagent carry that of its parent."""
    agent: Agent | None
    contributor: Literal["ai", "human", "unknown"]
    """Who did it: an agent, a person, or nobody knows."""
    intent_id: str | None
    """The intent that was selected at that moment."""
    vcs: Vcs | None
    data: Data


def data(kind: str) -> type[Data]:
    """Return the model of the data of one event type, from its module, which is loaded for the types that occur."""
    module, _, name = DATA[kind].partition(".")
    return cast("type[Data]", getattr(import_module(f"linetrail.ledger.event.data.{module}"), name))


@cache
def event(kind: str) -> type[Envelope]:
    """Return the model of one event type: the envelope with its type and its data filled in."""
    held = data(kind)
    title = "".join(word.capitalize() for word in re.split("[._]", kind))
    return create_model(
        f"{title}Event",
        __base__=Envelope,
        __doc__=held.__doc__,
        __cls_kwargs__={"use_attribute_docstrings": False},  # it has no source, and finding none takes long
        type=(cast("Any", Literal[kind]), ...),
        data=(held, ...),
    )


@cache
def any_event() -> TypeAdapter[Envelope]:
    """Return the union of all event types, which takes longer to make than most of them alone."""
    union = cast("Any", reduce(or_, map(event, DATA)))
    return TypeAdapter(cast("Any", Annotated[union, Field(discriminator="type")]))


def problems(line: bytes) -> list[str]:
    """Return what in a stored line contradicts the contract, as `field: reason`; raise when it is no line at all."""
    from_line(line)
    try:
        any_event().validate_json(line)
    except ValidationError as error:
        return [f"{'.'.join(map(str, found['loc'][1:]))}: {found['msg']}" for found in error.errors()]
    return []


def json_schema() -> dict[str, Any]:
    schema: dict[str, Any] = _without_titles(any_event().json_schema())
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"linetrail event, version {VERSION}",
        "description": "One line of .orchestration/agent_trace.jsonl; FORMAT.md tells what a schema cannot.",
    } | schema


def _without_titles(value: Any) -> Any:
    """Drop the titles that pydantic makes out of names: they say nothing and fill a third of the file."""
    if isinstance(value, dict):
        return {
            key: _without_titles(item) for key, item in value.items() if not (key == "title" and isinstance(item, str))
        }
    return [_without_titles(item) for item in value] if isinstance(value, list) else value
