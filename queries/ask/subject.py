"""Find what an id stands for, by its first characters, and gather what the tables hold about it."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.event.commitments import SALT_BYTES
from linetrail.ledger.observe.states import Objects
from linetrail.ledger.redact.redactor import scrub
from linetrail.ledger.repository import Repository, git
from linetrail.projections.tables.tables import Tables, needs
from linetrail.queries.ask.ask import answer
from linetrail.queries.statements import statement

EVENT, SESSION, INTENT, TOOL_CALL, COMMIT = "event", "session", "intent", "tool call", "commit"
DECISION, LESSON, PROMPT, POINT, APPROVAL = "decision", "lesson", "prompt", "recovery point", "approval"
CONTENT, LINE, SEGMENT, NODE = "content", "line", "segment", "node"
KINDS = (
    *(EVENT, SESSION, INTENT, TOOL_CALL, COMMIT, DECISION, LESSON, PROMPT, POINT, APPROVAL),
    *(CONTENT, LINE, SEGMENT, NODE),
)
MAX_CANDIDATES = 5
# A hash, whole or its first digits, with or without the name of its algorithm.
_HASH = re.compile(r"(?:[a-z0-9]+:)?([0-9a-f]{4,64})")

_CANDIDATES = """
select 'event' as kind, event_id as id from v_events where starts_with(event_id, $id)
union all
select distinct 'session', session_id from v_events where starts_with(session_id, $id)
union all
select 'intent', intent_id from v_intents where starts_with(intent_id, $id)
union all
select distinct 'tool call', tool_call_id from v_tool_calls
where starts_with(tool_call_id, $id) and tool_call_id not in (select event_id from v_events)
union all
select 'commit', vcs_revision from commits where starts_with(vcs_revision, $id)
union all
select 'decision', decision_id from v_decisions where starts_with(decision_id, $id)
union all
select 'lesson', lesson_id from lessons where starts_with(lesson_id, $id)
union all
select distinct 'prompt', prompt_id from v_prompts where starts_with(prompt_id, $id)
union all
select 'recovery point', point_id from v_recovery_points where starts_with(point_id, $id) or point_name = $id
union all
select distinct 'approval', approval_id from v_approvals where starts_with(approval_id, $id)
order by kind, id
"""
_NUMBERED = "select 'event', event_id from v_events where cast(position as varchar) = $id"
# Definitions are found by reading the sources: only where nothing that was recorded has such an id.
_NODES = "select node_id from v_nodes where starts_with(node_id, $id) order by node_id limit 7"
_NODES_HASHED = """
select distinct versions.node_id
from v_node_versions as versions
join v_nodes as nodes on nodes.node_id = versions.node_id
where $digits in (versions.node_hash, versions.shape_hash, versions.raw_hash)
order by versions.node_id
limit 7
"""
_EVENT = "select * from v_events where event_id = $id"
_CLASS = """
select * exclude (position, mutation_id, evidence), cast(evidence as varchar) as evidence
from v_mutation_classes
where mutation_id = $id
"""
_FORMATTED = """
select path, mutation_id, command from v_formatted_files where written_mutation_id = $id order by position, path
"""
_FORMATS = "select path, written_mutation_id, command from v_formatted_files where mutation_id = $id order by path"
_SESSION = "select * from v_sessions where session_id = $id"
_PROMPTS = "select turn, occurred_at, prompt_excerpt from v_prompts where session_id = $id order by position"
_THOUGHTS = "select occurred_at, thought_excerpt from v_thoughts where session_id = $id order by position"
_INTENT = "select * from v_intents where intent_id = $id"
_HISTORY = "select valid_from, event_type, title, status from v_intent_history where intent_id = $id order by position"
_FILES = """
select
    path,
    count(distinct mutation_id) as mutations,
    sum(lines_added) as lines_added,
    sum(lines_deleted) as lines_deleted
from v_mutations
where case $kind when 'session' then session_id else intent_id end = $id
group by path
order by path
"""
_TOOL_CALL = "select * from v_tool_calls where tool_call_id = $id"
_CALL_EVENTS = """
select position as seq, event_type, occurred_at, path, verdict
from v_events
where tool_call_id = $id
order by position
"""
_COMMIT = (
    "select * exclude (parent, in_history, authored_epoch, committed_epoch) from v_commits where vcs_revision = $id"
)
_DECISION = "select * from v_decisions where decision_id = $id"
_ALTERNATIVES = """
select option_text, why_rejected from v_decision_alternatives where decision_id = $id order by place
"""
_LESSON = "select * from v_lessons where lesson_id = $id"
_PROMPT = "select * from v_prompts where prompt_id = $id order by position desc limit 1"
_CALLS = """
select position as seq, started_at, tool_name, path, command, status
from v_tool_calls
where prompt_id = $id
order by position
"""
_POINT = "select * from v_recovery_points where point_id = $id"
_POINT_FILES = "select path, content_hash, omitted from v_recovery_point_files where point_id = $id order by path"
_APPROVAL = "select * from v_approvals where approval_id = $id order by position desc limit 1"
_NODE = "select * from v_nodes where node_id = $id"
_VERSIONS = """
select
    place, valid_from, agent_name, session_id, intent_id, change, change_class, path, qualified_name, start_line,
    end_line, lines_added, lines_deleted, mutation_id, vcs_revision
from v_node_versions
where node_id = $id
order by place desc
"""


class NoSuchIdError(LinetrailError):
    """Nothing has this id, or more than one thing begins like it."""

    hint = "linetrail log"


class Subject(NamedTuple):
    """One thing that has an id."""

    kind: str
    id: str


def find(repository: Repository, tables: Tables, text: str) -> Subject:
    """Return the one thing whose id is or begins like this text; a number is the place of an event."""
    if not text:
        raise NoSuchIdError("an id has one character at least")
    if text.isdecimal():
        numbered = tables.ask(_NUMBERED, {"id": text}).rows
        if numbered:
            return Subject(*numbered[0])
    found = _distinct([Subject(*row) for row in tables.ask(_CANDIDATES, {"id": text}).rows])
    exact = [subject for subject in found if subject.id == text]
    chosen = exact if len(exact) == 1 else found or _elsewhere(repository, tables, text)
    if len(chosen) == 1:
        return chosen[0]
    if not chosen:
        raise NoSuchIdError(f"no {', '.join(KINDS[:-1])} or {KINDS[-1]} has an id that begins with {text}")
    named = ", ".join(f"{subject.kind} {subject.id}" for subject in chosen[:MAX_CANDIDATES])
    more = f" and {len(chosen) - MAX_CANDIDATES} more" if len(chosen) > MAX_CANDIDATES else ""
    raise NoSuchIdError(f"{text} is not unique: {named}{more}", hint=f"linetrail show {chosen[0].id}")


def _distinct(found: list[Subject]) -> list[Subject]:
    """Leave out events that gave their id to what they recorded, and prompts, which may begin like their session."""
    named = {subject.id for subject in found if subject.kind != EVENT}
    others = [subject for subject in found if subject.kind != PROMPT]
    return [subject for subject in others or found if subject.kind != EVENT or subject.id not in named]


def _elsewhere(repository: Repository, tables: Tables, text: str) -> list[Subject]:
    """Look among the commits of git, the hashes of what was recorded, and the definitions in the sources."""
    commit = _commit(repository, text)
    if commit is not None:
        return [commit]
    hashed = _HASH.fullmatch(text.lower())
    if hashed and (rows := tables.ask(statement("show_hashes"), {"digits": hashed[1]}).rows):
        return [Subject(*row) for row in rows]
    if "v_nodes" not in needs():
        return []
    named = tables.ask(_NODES, {"id": text}).rows
    if hashed and not named:
        named = tables.ask(_NODES_HASHED, {"digits": hashed[1]}).rows
    return [Subject(NODE, node) for (node,) in named]


def about(repository: Repository, tables: Tables, subject: Subject) -> dict[str, Any]:
    """Return what is known about it, as one record that may hold lists of records."""
    return {"kind": subject.kind} | _ABOUT[subject.kind](repository, tables, subject.id)


def _about_event(repository: Repository, tables: Tables, event_id: str) -> dict[str, Any]:
    event = _one(tables, _EVENT, event_id)
    judged = _one(tables, _CLASS, event_id)
    named: dict[str, Any] = (
        {"classification": judged | {"evidence": json.loads(judged["evidence"] or "[]")}} if judged else {}
    )
    payload = json.loads(event["payload"])
    if event["event_type"] == "mutation.observed":
        named |= {"formatted_by": _all(tables, _FORMATTED, event_id), "formats": _all(tables, _FORMATS, event_id)}
    return {"seq": event.pop("position")} | event | {"payload": payload} | named | _whole_text(repository, payload)


def _whole_text(repository: Repository, payload: Mapping[str, Any]) -> dict[str, str]:
    """Return the text that an event commits to, where this machine keeps it, secrets taken out."""
    commitment = payload.get("commitment")
    kept = Objects(repository).read(commitment) if isinstance(commitment, str) else None
    return {} if kept is None else {"text": scrub(kept[SALT_BYTES:].decode(errors="replace"))}


def _about_session(_: Repository, tables: Tables, session_id: str) -> dict[str, Any]:
    return _one(tables, _SESSION, session_id) | {
        "turns": _all(tables, _PROMPTS, session_id),
        "thoughts": _all(tables, _THOUGHTS, session_id),
        "files": _files(tables, SESSION, session_id),
    }


def _about_intent(_: Repository, tables: Tables, intent_id: str) -> dict[str, Any]:
    intent = _one(tables, _INTENT, intent_id)
    return intent | {
        "scope": json.loads(intent["scope"]) if intent["scope"] else None,
        "history": _all(tables, _HISTORY, intent_id),
        "files": _files(tables, INTENT, intent_id),
    }


def _about_call(_: Repository, tables: Tables, call_id: str) -> dict[str, Any]:
    return _one(tables, _TOOL_CALL, call_id) | {"happened": _all(tables, _CALL_EVENTS, call_id)}


def _about_commit(repository: Repository, tables: Tables, revision: str) -> dict[str, Any]:
    shown = git(repository, "show", "--no-patch", "--format=%an%x00%cI%x00%s", revision)
    author, committed_at, subject = shown.decode(errors="replace").strip().split("\0") if shown else (None, None, None)
    seen = _one(tables, _COMMIT, revision)
    sessions = list(answer(tables, "commit_sessions", commit=revision).mappings())
    named = {"vcs_revision": revision, "author": author, "committed_at": committed_at, "subject": subject}
    return named | seen | {"sessions": sessions}


def _about_decision(_: Repository, tables: Tables, decision_id: str) -> dict[str, Any]:
    decision = _one(tables, _DECISION, decision_id)
    lists = {name: json.loads(decision[name]) if decision.get(name) else None for name in ("lines", "places")}
    return decision | lists | {"alternatives": _all(tables, _ALTERNATIVES, decision_id)}


def _about_prompt(_: Repository, tables: Tables, prompt_id: str) -> dict[str, Any]:
    return _one(tables, _PROMPT, prompt_id) | {"tool_calls": _all(tables, _CALLS, prompt_id)}


def _about_point(_: Repository, tables: Tables, point_id: str) -> dict[str, Any]:
    return _one(tables, _POINT, point_id) | {"listed": _all(tables, _POINT_FILES, point_id)}


def _about_node(_: Repository, tables: Tables, node_id: str) -> dict[str, Any]:
    return _one(tables, _NODE, node_id) | {"versions": _all(tables, _VERSIONS, node_id)}


def _commit(repository: Repository, text: str) -> Subject | None:
    """Ask git for a commit that the ledger did not see being made."""
    revision = git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{text}^{{commit}}")
    return Subject(COMMIT, revision.decode().strip()) if revision else None


def _one(tables: Tables, sql: str, key: str) -> dict[str, Any]:
    return next(tables.ask(sql, {"id": key}).mappings(), {})


def _all(tables: Tables, sql: str, key: str) -> list[dict[str, Any]]:
    return list(tables.ask(sql, {"id": key}).mappings())


def _files(tables: Tables, kind: str, key: str) -> list[dict[str, Any]]:
    return list(tables.ask(_FILES, {"kind": kind, "id": key}).mappings())


_ABOUT = {
    EVENT: _about_event,
    SESSION: _about_session,
    INTENT: _about_intent,
    TOOL_CALL: _about_call,
    COMMIT: _about_commit,
    DECISION: _about_decision,
    LESSON: lambda _, tables, it: _one(tables, _LESSON, it),
    PROMPT: _about_prompt,
    POINT: _about_point,
    APPROVAL: lambda _, tables, it: _one(tables, _APPROVAL, it),
    CONTENT: lambda _, tables, it: {"content_hash": it, "changes": _all(tables, statement("show_content"), it)},
    LINE: lambda _, tables, it: {"line_hash": it, "changes": _all(tables, statement("show_line"), it)},
    SEGMENT: lambda _, tables, it: _one(tables, statement("show_segment"), it),
    NODE: _about_node,
}
