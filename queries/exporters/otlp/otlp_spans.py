"""Make the spans: a session, a tool call, an answer of a model.

What was not seen is flagged and never made up: where no end was seen, a span ends when it was seen last, with
`linetrail.end_missing`; where no start was, it starts when it ended, with `linetrail.start_missing`.
"""

from collections.abc import Mapping
from typing import Any

from linetrail.queries.exporters.otlp import otlp_json as otlp
from linetrail.queries.exporters.otlp.otlp_events import OUTCOMES, Event, Made, Said, Session, actor, bare, requested
from linetrail.queries.exporters.otlp.otlp_json import CLIENT, ERROR, INTERNAL, Json


def conversation(session: Session) -> Made:
    """Return the span of a session; a session that another one started is linked to it."""
    said = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": session.agent,
        "gen_ai.agent.version": session.agent_version,
        "gen_ai.conversation.id": session.id,
        **requested(session.model),
        "vcs.ref.head.name": session.branch,
        "linetrail.session.end_reason": session.reason,
        "linetrail.end_missing": _flag(session.ended is None),
    }
    parents = [session.parent] if session.parent else []
    span = otlp.span(
        trace=otlp.trace_id(session.id),
        own=otlp.session_span_id(session.id),
        parent=None,
        name=_named("invoke_agent", session.agent),
        kind=INTERNAL,
        times=(session.started, session.last if session.ended is None else session.ended),
        said=said,
        links=[{"traceId": otlp.trace_id(one), "spanId": otlp.session_span_id(one)} for one in parents],
    )
    return Made(max(session.ended or 0, session.last), span)


def tool_call(first: Event, last: Event, verdict: str | None, *, content: bool) -> Made:
    """Return the span of a call, from its request to its outcome; where one was not seen, both are the other."""
    asked = first.data if first.type == "tool.requested" else {}
    told = last.data if last.type in OUTCOMES else {}
    name = asked.get("tool_name") or told.get("tool_name")
    failed = last.type == "tool.failed"
    said = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": first.tool_call_id,
        "gen_ai.tool.type": "function",
        **actor(first),
        **_told_by_either(asked, told),
        "prompt.id": asked.get("prompt_id"),
        "linetrail.tool.duration_ms": told.get("duration_ms"),
        "process.exit.code": told.get("exit_code"),
        "error.type": _error_type(told) if failed else None,
        "gen_ai.tool.call.arguments": _arguments(asked) if content else None,
        "linetrail.intent.id": first.intent,
        "linetrail.event.id": first.id,
        "linetrail.verdict": verdict,
        "linetrail.start_missing": _flag(first.type != "tool.requested"),
        "linetrail.end_missing": _flag(last.type not in OUTCOMES),
        "linetrail.clock_went_back": _flag(last.time < first.time),
    }
    span = otlp.span(
        trace=first.trace,
        own=otlp.span_id(first.id),
        parent=first.parent,
        name=_named("execute_tool", name),
        kind=INTERNAL,
        times=(first.time, last.time),
        said=said,
        status=_status(told, failed=failed, content=content),
    )
    return Made(last.time, span)


def answer(event: Event) -> Made:
    """Return the span of one answer of a model: what is known is the moment at which its tokens were counted."""
    data = event.data
    answered = data.get("model_id") or event.model
    cached = [data.get(name) or 0 for name in ("cache_read_input_tokens", "cache_creation_input_tokens")]
    fresh = data.get("input_tokens")
    said = {
        "gen_ai.operation.name": "chat",
        **actor(event),
        **requested(event.model or answered),
        "gen_ai.response.id": data.get("message_id"),
        "gen_ai.response.model": bare(answered),
        # the conventions count cached tokens among these, the ledger does not
        "gen_ai.usage.input_tokens": None if fresh is None else fresh + sum(cached),
        "gen_ai.usage.output_tokens": data.get("output_tokens"),
        "gen_ai.usage.cache_read.input_tokens": data.get("cache_read_input_tokens"),
        "gen_ai.usage.cache_creation.input_tokens": data.get("cache_creation_input_tokens"),
        "linetrail.intent.id": event.intent,
        "linetrail.event.id": event.id,
        "linetrail.start_missing": True,
    }
    span = otlp.span(
        trace=event.trace,
        own=otlp.span_id(event.id),
        parent=event.parent,
        name=_named("chat", bare(answered)),
        kind=CLIENT,
        times=(event.time, event.time),
        said=said,
    )
    return Made(event.time, span)


def _named(operation: str, what: str | None) -> str:
    return f"{operation} {what}" if what else operation


def _flag(told: bool) -> bool | None:  # noqa: FBT001  it is the flag
    """Return True or nothing: a flag that is not raised is no attribute."""
    return True if told else None


def _told_by_either(asked: Mapping[str, Any], told: Mapping[str, Any]) -> Said:
    names = {
        "gen_ai.agent.id": "agent_id",
        "linetrail.agent.type": "agent_type",
        "linetrail.tool.operation": "operation",
    }
    return {key: asked.get(name) or told.get(name) for key, name in names.items()}


def _arguments(asked: Mapping[str, Any]) -> Mapping[str, Any] | None:
    paths = [target.get("path") for target in asked.get("targets") or ()]
    return {"command": asked.get("command"), "paths": paths or None} if paths or asked.get("command") else None


def _status(told: Mapping[str, Any], *, failed: bool, content: bool) -> Json:
    message = {"message": told["error"]} if content and told.get("error") else {}
    return {"code": ERROR, **message} if failed else {}


def _error_type(told: Mapping[str, Any]) -> str:
    """Return a word for the kind of an error: the conventions want few of them."""
    if told.get("is_interrupt") or told.get("interrupted"):
        return "interrupted"
    return "exit_code" if told.get("exit_code") else "_OTHER"
