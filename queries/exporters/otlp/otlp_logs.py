"""Say in log records what has no duration: changes of files, verdicts, decisions, intents, prompts and all the rest.

What people or agents wrote in words of their own is content: it leaves only where somebody asked for it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.queries.exporters.otlp.otlp_events import Said


class Fields(NamedTuple):
    """Which fields of an event's data become which attributes, always and as content."""

    plain: Mapping[str, str]
    content: Mapping[str, str] = {}


# attribute -> field of the event's `data`; `a.b` is the field b of the field a
FIELDS = {
    **dict.fromkeys(
        ("approval.decided", "approval.deferred", "approval.revoked"),
        Fields(
            {
                "linetrail.approval.id": "approval_id",
                "linetrail.approval.approved": "approved",
                "linetrail.approval.extent": "extent",
                "linetrail.code": "code",
            },
            {"linetrail.action": "action", "linetrail.reason": "reason"},
        ),
    ),
    "agent.signalled": Fields({"linetrail.signal": "signal"}, {"linetrail.detail": "detail"}),
    "commit.observed": Fields({"vcs.ref.head.revision": "revision"}),
    "decision.recorded": Fields(
        {
            "linetrail.decision.id": "decision_id",
            "linetrail.decision.title": "title",
            "linetrail.decision.status": "status",
            "linetrail.decision.supersedes": "supersedes",
        },
        {"linetrail.decision.rationale": "rationale"},
    ),
    "gate.decided": Fields(
        {
            "linetrail.verdict": "verdict",
            "linetrail.verdict.source": "source",
            "linetrail.code": "code",
            "linetrail.rule.id": "rule",
            "linetrail.verdict.enforced": "enforced",
            "linetrail.command.class": "command_class",
            "linetrail.approval.id": "approval_id",
        },
        {"linetrail.reason": "reason"},
    ),
    "gate.violation": Fields(
        {"linetrail.code": "code", "linetrail.path": "path", "linetrail.rule.id": "rule"},
        {"linetrail.reason": "reason"},
    ),
    "intent.selected": Fields(
        {"linetrail.intent.title": "name", "linetrail.intent.status": "status"},
        {"linetrail.reason": "reasoning"},
    ),
    "lesson.recorded": Fields(
        {"linetrail.lesson.id": "lesson_id", "linetrail.lesson.source": "source", "linetrail.code": "code"},
        {"linetrail.lesson.title": "title", "linetrail.lesson.body": "body"},
    ),
    "mutation.classified": Fields(
        {"linetrail.mutation.class": "mutation_class", "linetrail.mutation.event.id": "mutation_id"}
    ),
    "prompt.submitted": Fields(
        {"prompt.id": "prompt_id", "linetrail.prompt.length": "length"}, {"linetrail.prompt.excerpt": "excerpt"}
    ),
    "recovery_point.marked": Fields({"linetrail.recovery_point.name": "name"}),
    "work.moved": Fields({"linetrail.work.state": "state"}, {"linetrail.reason": "reason"}),
    "thought.recorded": Fields({"linetrail.thought.length": "length"}, {"linetrail.thought.excerpt": "excerpt"}),
    **dict.fromkeys(
        ("intent.created", "intent.changed", "intent.completed"),
        Fields(
            {"linetrail.intent.title": "after.name", "linetrail.intent.status": "after.status"},
            {"linetrail.reason": "reason"},
        ),
    ),
}
_REFUSALS = frozenset({"deny", "ask"})


def said_by(event_type: str, data: Mapping[str, Any], *, content: bool) -> Said:
    """Return what an event says, as attributes; what only its type tells has none."""
    fields = FIELDS.get(event_type)
    if fields is None:
        return {}
    wanted = {**fields.plain, **fields.content} if content else fields.plain
    return {key: _field(data, name) for key, name in wanted.items()}


def is_warning(event_type: str, data: Mapping[str, Any]) -> bool:
    """Return whether an event is a warning: something was refused, or broke a rule."""
    return event_type == "gate.violation" or data.get("verdict") in _REFUSALS


def changes(files: Sequence[Mapping[str, Any]]) -> list[Said]:
    """Return the attributes of each file of a mutation."""
    return [
        {
            "linetrail.mutation.path": file["path"],
            "linetrail.mutation.op": file["op"],
            "linetrail.mutation.from_path": file["from_path"],
            "linetrail.mutation.via": file["via"],
            "linetrail.mutation.lines_added": file["lines_added"],
            "linetrail.mutation.lines_deleted": file["lines_deleted"],
            "linetrail.mutation.pre_hash": file["before_hash"],
            "linetrail.mutation.post_hash": file["after_hash"],
            "linetrail.mutation.snapshot": file["snapshot"] or None,
            "linetrail.mutation.part": file["part"],
        }
        for file in files
    ]


def _field(data: Mapping[str, Any], name: str) -> Any:
    value: Any = data
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value
