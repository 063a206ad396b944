"""Collect what lies behind one line: the intent, the prompt, the tool call, the decisions, and its former versions."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.projections.lines import Owner
from linetrail.projections.tables import Tables
from linetrail.projections.transitions import Claim

Record = Mapping[str, Any]

_PROMPT = """
select event_id, prompt_id, turn, prompt_excerpt, occurred_at
from prompts
where session_id = $session_id and position < $position
order by position desc
limit 1
"""
_PROMPT_BY_ID = """
select p.event_id, p.prompt_id, p.turn, p.prompt_excerpt, p.occurred_at
from tool_calls c join prompts p on p.prompt_id = c.prompt_id and p.session_id = c.session_id
where c.tool_call_id = $tool_call_id and c.session_id = $session_id
order by p.position desc
limit 1
"""
_INTENT = """
select intent_id, title, status
from intents
where intent_id = $intent_id
"""
_TOOL = """
select tool_call_id, tool_name, operation_name, command, agent_type, status, started_at
from tool_calls
where tool_call_id = $tool_call_id and session_id = $session_id
"""
_SESSION = """
select session_id, agent_name, agent_version, model_id, branch, source, transcript, started_at
from sessions
where session_id = $session_id
"""
# What was decided about lines of this file, or about the intent as a whole.
_DECISIONS = """
select decision_id, title, rationale, status, supersedes_id, alternatives, occurred_at
from decisions
where contains(coalesce(cast(lines as varchar), ''), '"' || $path || ':')
    or (lines is null and intent_id = $intent_id)
order by position desc
limit 5
"""


class Reason(NamedTuple):
    """Why a line is there, as far as the ledger knows. `claim` is the change that is explained."""

    claim: Claim | None
    later: Sequence[Claim]
    earlier: Sequence[Claim]
    prompt: Record | None
    intent: Record | None
    tool: Record | None
    session: Record | None
    decisions: Sequence[Record]


def reason(tables: Tables, owner: Owner, path: str) -> Reason:
    """Explain the last change that somebody was seen making; what was only found changed afterwards is listed."""
    at = next((at for at, claim in enumerate(owner.history) if claim.seen), None)
    if at is None:
        return Reason(None, owner.history, (), None, None, None, None, ())
    claim = owner.history[at]
    call = {"tool_call_id": claim.tool_call_id, "session_id": claim.session_id}
    said_before = {"session_id": claim.session_id, "position": claim.position}
    about = {"path": claim.path or path, "intent_id": claim.intent_id}
    return Reason(
        claim=claim,
        later=owner.history[:at],
        earlier=owner.history[at + 1 :],
        prompt=_first(tables, _PROMPT_BY_ID, call) or _first(tables, _PROMPT, said_before),
        intent=_first(tables, _INTENT, {"intent_id": claim.intent_id}),
        tool=_first(tables, _TOOL, call),
        session=_first(tables, _SESSION, {"session_id": claim.session_id}),
        decisions=list(tables.ask(_DECISIONS, about).mappings()),
    )


def _first(tables: Tables, sql: str, parameters: Mapping[str, object]) -> Record | None:
    return next(tables.ask(sql, parameters).mappings(), None)
