"""The tools that only ask: what happened here, and why lines are as they are."""

from collections.abc import Mapping, Sequence
from typing import Any

from linetrail.projections.git import target
from linetrail.projections.lines.states import ranges
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.answers.log import log
from linetrail.queries.answers.why.line import Found, Record, Span, explained, span_of, together
from linetrail.queries.mcp.answers import Call, cut, fitting, known, refuse
from linetrail.queries.mcp.caller import caller
from linetrail.queries.mcp.tools import MAX_TRACES
from linetrail.queries.work.since import since

DEFAULT_TRACES = 20
MAX_LINES, MAX_GROUPS, MAX_VERSIONS, MAX_DECISIONS = 200, 20, 5, 5
_TRACE = (
    *("event_id", "timestamp", "type", "session_id", "agent_name", "contributor_type", "intent_id", "path"),
    *("verdict", "class"),
)


def traces(call: Call) -> dict[str, Any]:
    """Return events, newest first, that fit what was asked for."""
    told = call.arguments
    limit = _limit(told.get("limit"))
    names = {"intent": "intent_id", "session": "session", "type": "type", "since": "since"}
    filters: dict[str, Any] = {name: told.get(key) or None for name, key in names.items()}
    with open_tables(call.repository) as tables:
        # one more tells whether there are more
        table = log(call.repository, tables, path=told.get("path") or None, limit=limit + 1, **filters)
    found = list(table.mappings())
    rows = [known({name: row[name] for name in _TRACE} | {"summary": cut(row["summary"])}) for row in found[:limit]]
    shown = fitting(rows)
    return {"traces": shown, **({"more": True} if len(found) > len(shown) else {})}


def why(call: Call) -> dict[str, Any]:
    """Explain lines, or what one name stands for."""
    place = call.arguments["place"]
    span = span_of(place)
    return _symbol(call, place) if span is None else _lines(call, span)


def changed(call: Call) -> dict[str, Any]:
    """Return what others changed of the files that the session which calls has read or written, since it last did."""
    who = caller(call.repository, call.client, call.tool, call.arguments)
    if who.session_id is None:
        raise refuse("INVALID_INPUT", "no session is known here; give session_handle", "see what changed")
    found = since(call.repository, who.session_id)
    rows = [known(one._asdict() | {"definitions": list(one.definitions) or None}) for one in found]
    shown = fitting(rows)
    return {"changes": shown, **({"more": True} if len(found) > len(shown) else {})}


def _limit(told: object) -> int:
    if told is None:
        return DEFAULT_TRACES
    try:
        limit = int(float(told)) if isinstance(told, int | float | str) else 0
    except (ValueError, OverflowError):
        limit = 0
    if limit < 1:
        raise refuse("INVALID_INPUT", f"limit is 1 to {MAX_TRACES}, not {told}", "query traces")
    return min(limit, MAX_TRACES)


def _lines(call: Call, span: Span) -> dict[str, Any]:
    if span.last - span.first >= MAX_LINES:
        reason = f"{span.last - span.first + 1} lines are asked for, {MAX_LINES} are answered at once"
        raise refuse("INVALID_INPUT", reason, "explain lines")
    file = target.find_target(call.repository, target.locate(call.repository, call.repository.root, span.path), None)
    groups = list(together(explained(call.repository, file, span)))
    shown = fitting([_group(group) for group in groups[:MAX_GROUPS]])
    return {"path": file.path, "lines": shown, **({"truncated": True} if len(shown) < len(groups) else {})}


def _group(found: Found) -> dict[str, Any]:
    """Describe the change that left lines: who made it, for which intent, under which decisions."""
    by, why = found.by, found.why
    session = why.session or {}
    return known(
        {
            "lines": ranges(found.numbers),
            "contributor_type": by.contributor_type,
            "mixed": by.mixed or None,
            "agent_name": by.agent_name,
            "model_id": by.model_id,
            "author": by.author,
            "written_at": by.written_at,
            "session_id": by.session_id,
            "intent": _intent(why.intent) or by.intent_id,
            "prompt": cut((why.prompt or {}).get("prompt_excerpt")),
            "decisions": [_decision(one) for one in why.decisions[:MAX_DECISIONS]],
            "within": found.within and found.within.qualified,
            "commit": by.vcs_revision,
            "commit_summary": cut(found.summary),
            "reviewed_by": list(found.reviewed_by) or None,
            "human_id": session.get("human_id"),
            "evidence": by.evidence,
            "confidence": by.confidence,
            "event_id": by.event_id,
        }
    )


def _symbol(call: Call, place: str) -> dict[str, Any]:
    from linetrail.queries.answers.why import symbol  # it reads the syntax of files

    _, found = symbol.explained_symbol(call.repository, call.repository.root, place)
    (row,) = symbol.table(found).mappings()
    return known(
        {
            **{name: row[name] for name in ("path", "qualified_name", "kind", "start_line", "end_line", "node_id")},
            "lines": [known(writer) for writer in row["lines"]],
            "intents": [_intent(intent) for intent in row["intents"][:MAX_VERSIONS]],
            "prompts": [cut(prompt["prompt_excerpt"]) for prompt in row["prompts"][:MAX_VERSIONS]],
            "decisions": [_decision(one) for one in row["decisions"][:MAX_DECISIONS]],
            "versions": _versions(row["versions"]),
        }
    )


def _versions(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    names = ("valid_from", "agent_name", "session_id", "intent_id", "change", "change_class", "path", "vcs_revision")
    return [known({name: row.get(name) for name in names}) for row in rows[:MAX_VERSIONS]]


def _intent(intent: Record | None) -> dict[str, Any] | None:
    if intent is None:
        return None
    return known({"intent_id": intent["intent_id"], "name": cut(intent["title"]), "status": intent["status"]})


def _decision(one: Record) -> dict[str, Any]:
    names = ("decision_id", "status", "superseded_by_id")
    told = {name: one.get(name) for name in names}
    return known(told | {"title": cut(one.get("title")), "rationale": cut(one.get("rationale"))})
