"""What the exports to OpenTelemetry read of the ledger, and how the GenAI conventions call what all of it has."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from linetrail.queries.exporters.otlp import otlp_json as otlp
from linetrail.queries.exporters.otlp.otlp_json import Json

OUTCOMES = frozenset({"tool.completed", "tool.failed"})
# What becomes a span, or a part of one; every other event is a log record.
SPANNED = frozenset({"session.started", "session.ended", "usage.recorded", "tool.requested", *OUTCOMES})
# What OpenTelemetry calls providers that models.dev calls otherwise.
_PROVIDERS = {
    "amazon-bedrock": "aws.bedrock",
    "azure": "azure.ai.openai",
    "google": "gcp.gen_ai",
    "google-vertex": "gcp.vertex_ai",
    "mistral": "mistral_ai",
    "moonshotai": "moonshot_ai",
    "xai": "x_ai",
}

Said = dict[str, Any]


class Event(NamedTuple):
    """What the tables have of an event; `time` in nanoseconds, `data` where it is needed."""

    position: int
    id: str
    time: int
    type: str
    session: str | None
    agent: str | None
    agent_version: str | None
    model: str | None
    contributor: str
    intent: str | None
    revision: str | None
    branch: str | None
    tool_call_id: str | None
    data: Mapping[str, Any]

    @property
    def trace(self) -> str:
        """The trace of its session; an event without one is a trace of its own."""
        return otlp.trace_id(self.session or self.id)

    @property
    def parent(self) -> str | None:
        return otlp.session_span_id(self.session) if self.session else None


class Session(NamedTuple):
    """A session; `ended` is None where no end was seen. All times in nanoseconds."""

    id: str
    agent: str | None
    agent_version: str | None
    model: str | None
    parent: str | None
    branch: str | None
    started: int
    ended: int | None
    last: int
    reason: str | None


class Made(NamedTuple):
    """A span or a log record, and when it was over."""

    time: int
    json: Json


def actor(event: Event) -> Said:
    return {"gen_ai.agent.name": event.agent, "gen_ai.conversation.id": event.session}


def envelope(event: Event) -> Said:
    return {
        "linetrail.event.id": event.id,
        "linetrail.contributor.type": event.contributor,
        "linetrail.intent.id": event.intent or event.data.get("intent_id"),
        **actor(event),
        "gen_ai.tool.call.id": event.tool_call_id,
        "vcs.ref.base.revision": event.revision,
        "vcs.ref.head.name": event.branch,
    }


def requested(model: str | None) -> Said:
    """Say which model was asked, and whose it is, as far as that is known.

    >>> requested("google/gemini-4"), requested("gpt-6")["gen_ai.provider.name"]
    ({'gen_ai.provider.name': 'gcp.gen_ai', 'gen_ai.request.model': 'gemini-4'}, None)
    """
    provider = (model or "").rpartition("/")[0]
    return {"gen_ai.provider.name": _PROVIDERS.get(provider, provider) or None, "gen_ai.request.model": bare(model)}


def bare(model: str | None) -> str | None:
    """Return the name of a model without its provider."""
    return (model or "").rpartition("/")[2] or None
