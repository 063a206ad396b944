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

_NUMBERED = "select 'event', event_id from v_events where cast(position as varchar) = $id"
# the lists that belong to one of a kind, and its columns that hold JSON
_LISTS = {
    SESSION: ("turns", "thoughts", "files"),
    INTENT: ("history", "files"),
    TOOL_CALL: ("happened",),
    DECISION: ("alternatives",),
    PROMPT: ("tool_calls",),
    POINT: ("listed",),
    NODE: ("versions",),
}
_JSON = {INTENT: ("scope",), DECISION: ("lines", "places")}


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
    found = _distinct([Subject(*row) for row in tables.ask(statement("show_candidates"), {"id": text}).rows])
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
    named = tables.ask(statement("show_nodes"), {"id": text}).rows
    if hashed and not named:
        named = tables.ask(statement("show_nodes_hashed"), {"digits": hashed[1]}).rows
    return [Subject(NODE, node) for (node,) in named]


def about(repository: Repository, tables: Tables, subject: Subject) -> dict[str, Any]:
    """Return what is known about it, as one record that may hold lists of records."""
    kind, key = subject
    if kind in (CONTENT, LINE):
        return {"kind": kind, f"{kind}_hash": key, "changes": _all(tables, kind, key)}
    found = _one(tables, kind.replace(" ", "_"), key)
    found |= {name: json.loads(found[name]) if found.get(name) else None for name in _JSON.get(kind, ())}
    if kind == EVENT:
        found = _about_event(repository, tables, found)
    elif kind == COMMIT:
        found = _about_commit(repository, key) | found
        found["sessions"] = list(answer(tables, "commit_sessions", commit=key).mappings())
    return {"kind": kind} | found | {name: _all(tables, name, key, kind) for name in _LISTS.get(kind, ())}


def _about_event(repository: Repository, tables: Tables, event: dict[str, Any]) -> dict[str, Any]:
    key, judged = event["event_id"], _one(tables, "class", event["event_id"])
    payload = json.loads(event["payload"])
    named: dict[str, Any] = (
        {"classification": judged | {"evidence": json.loads(judged["evidence"] or "[]")}} if judged else {}
    )
    if event["event_type"] == "mutation.observed":
        named |= {"formatted_by": _all(tables, "formatted", key), "formats": _all(tables, "formats", key)}
    return {"seq": event.pop("position")} | event | {"payload": payload} | named | _whole_text(repository, payload)


def _whole_text(repository: Repository, payload: Mapping[str, Any]) -> dict[str, str]:
    """Return the text that an event commits to, where this machine keeps it, secrets taken out."""
    commitment = payload.get("commitment")
    kept = Objects(repository).read(commitment) if isinstance(commitment, str) else None
    return {} if kept is None else {"text": scrub(kept[SALT_BYTES:].decode(errors="replace"))}


def _about_commit(repository: Repository, revision: str) -> dict[str, Any]:
    shown = git(repository, "show", "--no-patch", "--format=%an%x00%cI%x00%s", revision)
    author, committed_at, subject = shown.decode(errors="replace").strip().split("\0") if shown else (None, None, None)
    return {"vcs_revision": revision, "author": author, "committed_at": committed_at, "subject": subject}


def _commit(repository: Repository, text: str) -> Subject | None:
    """Ask git for a commit that the ledger did not see being made."""
    revision = git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{text}^{{commit}}")
    return Subject(COMMIT, revision.decode().strip()) if revision else None


def _one(tables: Tables, name: str, key: str) -> dict[str, Any]:
    return next(iter(_all(tables, name, key)), {})


def _all(tables: Tables, name: str, key: str, kind: str | None = None) -> list[dict[str, Any]]:
    """Return the rows of a statement about one thing; some tell apart of which kind it is."""
    sql = statement(f"show_{name}")
    return list(tables.ask(sql, {"id": key} | ({"kind": kind} if "$kind" in sql else {})).mappings())
