"""Turn events, in the order of the ledger, into spans and log records with the names of OpenTelemetry's GenAI group.

A session is a trace. What was not seen is flagged and never made up: where no end was seen, a span ends when it was
seen last, with `linetrail.end_missing`; where no start was, it starts when it ended, with `linetrail.start_missing`.
"""

from collections import OrderedDict
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.queries.exporters import otlp_json as otlp
from linetrail.queries.exporters.otlp_json import CLIENT, ERROR, INFO, INTERNAL, WARN, Json
from linetrail.queries.exporters.otlp_logs import changes, is_warning, said_by

# Calls that ended, whose span a later event may still name.
MAX_ENDED = 20_000
# What OpenTelemetry calls providers that models.dev calls otherwise.
PROVIDERS = {
    "amazon-bedrock": "aws.bedrock",
    "azure": "azure.ai.openai",
    "google": "gcp.gen_ai",
    "google-vertex": "gcp.vertex_ai",
    "mistral": "mistral_ai",
    "moonshotai": "moonshot_ai",
    "xai": "x_ai",
}
_OUTCOMES = frozenset({"tool.completed", "tool.failed"})
_SPANNED = frozenset({"session.started", "session.ended", "usage.recorded", "tool.requested", *_OUTCOMES})


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


Call = tuple[str | None, str]


class Translator:
    """Follows tool calls from their request to their end; nothing else is remembered from one event to the next.

    `final` are the positions of the records of usage that count: of one answer only the last does.
    """

    def __init__(self, final: Container[int], *, content: bool) -> None:
        self._final, self._content = final, content
        self._running: dict[Call, tuple[Event, dict[str, Any]]] = {}
        self._ended: OrderedDict[Call, str] = OrderedDict()

    def spans(self, event: Event) -> Iterator[Made]:
        """Yield the span that an event ends, if it ends one."""
        if event.type == "tool.requested":
            self._running.setdefault(_call(event), (event, {}))
        elif event.type in _OUTCOMES:
            yield self._end(event)
        elif event.type == "usage.recorded" and event.position in self._final:
            yield _answer(event)

    def records(self, event: Event, files: Sequence[Mapping[str, Any]]) -> Iterator[Made]:
        """Yield the log records of an event that is no part of a span; `files` are those that it saw change."""
        if event.type in _SPANNED:
            return
        call = _call(event) if event.tool_call_id else None
        said = _envelope(event) | said_by(event.type, event.data, content=self._content)
        if call in self._running and "linetrail.verdict" in said:
            self._running[call][1]["linetrail.verdict"] = said["linetrail.verdict"]
        severity = WARN if is_warning(event.type, event.data) else INFO
        trace = otlp.trace_id(event.session) if event.session else None
        for file in changes(iter(files)) if files else ({},):
            yield Made(
                event.time,
                otlp.record(
                    time=event.time,
                    name=f"linetrail.{event.type}",
                    severity=severity,
                    trace=trace,
                    own=self._span_of(call),
                    said=said | file,
                ),
            )

    def rest(self) -> Iterator[Made]:
        """Yield the spans of calls whose end was never seen."""
        for request, seen in self._running.values():
            yield self._tool(request, None, seen)
        self._running.clear()

    def _end(self, outcome: Event) -> Made:
        call = _call(outcome)
        request, seen = self._running.pop(call, (None, {}))
        self._ended[call] = otlp.span_id((request or outcome).id)
        if len(self._ended) > MAX_ENDED:
            self._ended.popitem(last=False)
        return self._tool(request, outcome, seen)

    def _tool(self, request: Event | None, outcome: Event | None, seen: Mapping[str, Any]) -> Made:
        first = request or outcome
        last = outcome or request
        if first is None or last is None:
            raise ValueError("a call has a request or an outcome")
        asked, told = first.data if request else {}, outcome.data if outcome else {}
        name = asked.get("tool_name") or told.get("tool_name")
        failed = outcome is not None and outcome.type == "tool.failed"
        said = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": first.tool_call_id,
            "gen_ai.tool.type": "function",
            **_actor(first),
            "gen_ai.agent.id": asked.get("agent_id") or told.get("agent_id"),
            "linetrail.agent.type": asked.get("agent_type") or told.get("agent_type"),
            "prompt.id": asked.get("prompt_id"),
            "linetrail.tool.operation": asked.get("operation") or told.get("operation"),
            "linetrail.tool.duration_ms": told.get("duration_ms"),
            "process.exit.code": told.get("exit_code"),
            "error.type": _error_type(told) if failed else None,
            "gen_ai.tool.call.arguments": _arguments(asked) if self._content else None,
            "linetrail.intent.id": first.intent,
            "linetrail.event.id": first.id,
            **seen,
            "linetrail.start_missing": None if request else True,
            "linetrail.end_missing": None if outcome else True,
            "linetrail.clock_went_back": True if last.time < first.time else None,
        }
        status: Json = {"code": ERROR} if failed else {}
        if failed and self._content and told.get("error"):
            status["message"] = told["error"]
        span = otlp.span(
            trace=_trace(first),
            own=otlp.span_id(first.id),
            parent=_parent(first),
            name=f"execute_tool {name}" if name else "execute_tool",
            kind=INTERNAL,
            times=(first.time, last.time),
            said=said,
            status=status,
        )
        return Made(last.time, span)

    def _span_of(self, call: Call | None) -> str | None:
        if call is None:
            return None
        if call in self._running:
            return otlp.span_id(self._running[call][0].id)
        return self._ended.get(call)


def conversation(session: Session) -> Made:
    """Return the span of a session; a session that another one started is linked to it."""
    said = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": session.agent,
        "gen_ai.agent.version": session.agent_version,
        "gen_ai.conversation.id": session.id,
        **_model(session.model),
        "vcs.ref.head.name": session.branch,
        "linetrail.session.end_reason": session.reason,
        "linetrail.end_missing": None if session.ended is not None else True,
    }
    links = [
        {"traceId": otlp.trace_id(parent), "spanId": otlp.session_span_id(parent)}
        for parent in (session.parent,)
        if parent
    ]
    end = session.last if session.ended is None else session.ended
    span = otlp.span(
        trace=otlp.trace_id(session.id),
        own=otlp.session_span_id(session.id),
        parent=None,
        name=f"invoke_agent {session.agent}" if session.agent else "invoke_agent",
        kind=INTERNAL,
        times=(session.started, end),
        said=said,
        links=links,
    )
    return Made(max(end, session.last), span)


def _answer(event: Event) -> Made:
    """Return the span of one answer of a model: what is known is the moment at which its tokens were counted."""
    data = event.data
    answered = data.get("model_id") or event.model
    cached = [data.get(name) or 0 for name in ("cache_read_input_tokens", "cache_creation_input_tokens")]
    fresh = data.get("input_tokens")
    said = {
        "gen_ai.operation.name": "chat",
        **_actor(event),
        **_model(event.model or answered),
        "gen_ai.response.id": data.get("message_id"),
        "gen_ai.response.model": _bare(answered),
        # the conventions count cached tokens among these, the ledger does not
        "gen_ai.usage.input_tokens": None if fresh is None else fresh + sum(cached),
        "gen_ai.usage.output_tokens": data.get("output_tokens"),
        "gen_ai.usage.cache_read.input_tokens": data.get("cache_read_input_tokens"),
        "gen_ai.usage.cache_creation.input_tokens": data.get("cache_creation_input_tokens"),
        "linetrail.intent.id": event.intent,
        "linetrail.event.id": event.id,
        "linetrail.start_missing": True,
    }
    model = _bare(answered)
    span = otlp.span(
        trace=_trace(event),
        own=otlp.span_id(event.id),
        parent=_parent(event),
        name=f"chat {model}" if model else "chat",
        kind=CLIENT,
        times=(event.time, event.time),
        said=said,
    )
    return Made(event.time, span)


def _call(event: Event) -> Call:
    return event.session, event.tool_call_id or event.id


def _trace(event: Event) -> str:
    """Name the trace of an event; one without a session is a trace of its own."""
    return otlp.trace_id(event.session or event.id)


def _parent(event: Event) -> str | None:
    return otlp.session_span_id(event.session) if event.session else None


def _actor(event: Event) -> dict[str, Any]:
    return {"gen_ai.agent.name": event.agent, "gen_ai.conversation.id": event.session}


def _envelope(event: Event) -> dict[str, Any]:
    return {
        "linetrail.event.id": event.id,
        "linetrail.contributor.type": event.contributor,
        "linetrail.intent.id": event.intent or event.data.get("intent_id"),
        **_actor(event),
        "gen_ai.tool.call.id": event.tool_call_id,
        "vcs.ref.base.revision": event.revision,
        "vcs.ref.head.name": event.branch,
    }


def _model(model: str | None) -> dict[str, Any]:
    provider, _, name = (model or "").rpartition("/")
    return {
        "gen_ai.provider.name": PROVIDERS.get(provider, provider) or None,
        "gen_ai.request.model": name or None,
    }


def _bare(model: str | None) -> str | None:
    return (model or "").rpartition("/")[2] or None


def _arguments(asked: Mapping[str, Any]) -> Mapping[str, Any] | None:
    paths = [target.get("path") for target in asked.get("targets") or ()]
    return {"command": asked.get("command"), "paths": paths or None} if paths or asked.get("command") else None


def _error_type(told: Mapping[str, Any]) -> str:
    """Return a word for the kind of an error: the conventions want few of them."""
    if told.get("is_interrupt") or told.get("interrupted"):
        return "interrupted"
    return "exit_code" if told.get("exit_code") else "_OTHER"
