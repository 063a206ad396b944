"""Find what an id stands for, by its first characters, and gather what the tables hold about it."""

import json
from typing import Any, NamedTuple

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.repository import Repository
from linetrail.ledger.vcs import git
from linetrail.projections.tables import Tables
from linetrail.queries.ask import answer

EVENT, SESSION, INTENT, TOOL_CALL, COMMIT = "event", "session", "intent", "tool call", "commit"
MAX_CANDIDATES = 5

_CANDIDATES = """
select 'event' as kind, event_id as id from v_events where starts_with(event_id, $id) or cast(position as varchar) = $id
union all
select 'session', session_id from v_sessions where starts_with(session_id, $id)
union all
select 'intent', intent_id from v_intents where starts_with(intent_id, $id)
union all
select distinct 'tool call', tool_call_id from v_tool_calls
where starts_with(tool_call_id, $id) and tool_call_id not in (select event_id from v_events)
union all
select 'commit', vcs_revision from v_commits where starts_with(vcs_revision, $id)
order by kind, id
"""
_EVENT = "select * from v_events where event_id = $id"
_CLASS = """
select * exclude (position, mutation_id, evidence), cast(evidence as varchar) as evidence
from v_mutation_classes
where mutation_id = $id
"""
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
_COMMIT = "select * from v_commits where vcs_revision = $id"


class NoSuchIdError(LinetrailError):
    """Nothing has this id, or more than one thing begins like it."""

    hint = "linetrail log"


class Subject(NamedTuple):
    """One thing that has an id."""

    kind: str
    id: str


def find(repository: Repository, tables: Tables, text: str) -> Subject:
    """Return the one thing whose id is or begins like this text; a number is the place of an event."""
    found = [Subject(*row) for row in tables.ask(_CANDIDATES, {"id": text}).rows]
    exact = [subject for subject in found if subject.id == text or text.isdecimal()]
    commit = None if found else _commit(repository, text)
    chosen = exact if len(exact) == 1 else found or ([commit] if commit else [])
    if len(chosen) == 1:
        return chosen[0]
    if not chosen:
        raise NoSuchIdError(f"no event, session, intent, tool call or commit has an id that begins with {text}")
    named = ", ".join(f"{subject.kind} {subject.id}" for subject in chosen[:MAX_CANDIDATES])
    more = f" and {len(chosen) - MAX_CANDIDATES} more" if len(chosen) > MAX_CANDIDATES else ""
    raise NoSuchIdError(f"{text} is not unique: {named}{more}")


def about(repository: Repository, tables: Tables, subject: Subject) -> dict[str, Any]:
    """Return what is known about it, as one record that may hold lists of records."""
    return {"kind": subject.kind} | _ABOUT[subject.kind](repository, tables, subject.id)


def _about_event(_: Repository, tables: Tables, event_id: str) -> dict[str, Any]:
    event = _one(tables, _EVENT, event_id)
    judged = _one(tables, _CLASS, event_id)
    named = {"classification": judged | {"evidence": json.loads(judged["evidence"] or "[]")}} if judged else {}
    return {"seq": event.pop("position")} | event | {"payload": json.loads(event["payload"])} | named


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
}
