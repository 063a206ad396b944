"""The tools of the handshake: which intents there are, which is selected here, select one, complete it.

Where a hook heard the call, the tool only says what it asks for: the hook, which sees the session beside the intent,
records it. Where none did, it is recorded here, by the same code as the commands have.
"""

import time
from collections.abc import Mapping
from typing import Any

from linetrail.ledger.adapters.adapter import COMPLETE, SELECT
from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.event.drafts import Draft
from linetrail.ledger.event.event import Event, new_id, rfc3339
from linetrail.ledger.gate.policy import Policy
from linetrail.ledger.gate.policy import of as policy_of
from linetrail.ledger.gate.refusals import Refusal
from linetrail.ledger.gate.settings import ASK, BLOCK, OBSERVE
from linetrail.ledger.hook import checkout
from linetrail.ledger.hook import handshake as rules
from linetrail.ledger.intents import registry_file, selection
from linetrail.ledger.intents.changes import TOOL, Author
from linetrail.ledger.intents.intent import STATUSES, SYNONYMS, Intent, state_of
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, head
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.answers.criteria import progress
from linetrail.queries.mcp.answers import Call, RefusedError, cut, fitting, known, refuse
from linetrail.queries.mcp.caller import Caller, caller
from linetrail.queries.record.intent_record import begin, deselect, finish, notice
from linetrail.queries.record.related_files import note_related
from linetrail.queries.record.select import Chooser, choose, unapproved

SERVER = "server"
MAX_LISTED, MAX_PATTERNS, MAX_CONTEXT = 50, 8, 8000
ALL = "ALL"
_HOOK, _SESSION, _WORKTREE = "hook", "session", "worktree"


class SessionUnclearError(LinetrailError):
    """Nobody can say which session calls."""

    hint = "repeat the call"


def select(call: Call) -> dict[str, Any]:
    """Select an intent for the session that calls, or ask its hook to."""
    notice(call.repository)
    policy, who = policy_of(call.repository), _who(call)
    wish = rules.asked_of(SELECT, call.arguments)
    # Of several sessions that may be calling, the hook of each refuses what that one may not.
    objections = [rules.objection(policy, wish, current) for current in _selected(call, who)]
    refusal = objections[0] if all(objections) else None
    # Where refusals count, the hook has let a person answer before it let the call through.
    asked = who.heard and policy.mode_for("SELECTION_TO_APPROVE") in (ASK, BLOCK)
    if refusal is None and not asked:
        refusal = unapproved(call.repository, policy, wish.intent_id or "", who.session_id, f"mcp {SELECT}")
    intent = policy.intent(wish.intent_id)
    if refusal is not None or intent is None:
        raise RefusedError(refusal or Refusal("INTENT_NOT_FOUND", "it is gone", f"select {wish.intent_id}"))
    begin(call.repository, intent, by=TOOL, who=Author("ai", who.agent, who.session_id))
    note_related(call.repository, intent)
    policy = policy_of(call.repository)
    intent = policy.intent(intent.id) or intent
    if not who.heard and selection.own(call.repository, who.session_id) != (True, intent.id):
        choose(call.repository, intent, Chooser(who.session_id, who.agent, time.time_ns(), SERVER), wish)
    # The hook says the same to the agent, and records that it did.
    tells = not who.heard or policy.mode == OBSERVE
    return {
        "intent_id": intent.id,
        "selected": True,
        **_binding(who),
        **_described(call, policy, who, intent, tells=tells),
    }


def get(call: Call) -> dict[str, Any]:
    """Return the intent that is selected where this is called."""
    notice(call.repository)
    policy, who = policy_of(call.repository), _who(call)
    if len(who.sessions) > 1:
        raise SessionUnclearError("two sessions ask this at the same moment, and nothing tells which one you are")
    own = who.session_id is not None and selection.own(call.repository, who.session_id)[0]
    intent = policy.intent(selection.read(call.repository, who.session_id))
    if intent is None:
        offered = [{"intent_id": other.id, "name": cut(other.name)} for other in policy.intents.open(MAX_LISTED)]
        return {"intent_id": None, "open_intents": offered, "next": f"{SELECT}, before you change files"}
    about = {"intent_id": intent.id, "selected_for": _SESSION if own else _WORKTREE, "session_id": who.session_id}
    return {**about, **_described(call, policy, who, intent, tells=False)}


def context(call: Call) -> dict[str, Any]:
    """Return what an agent is told of an intent when it selects it, whoever works on it."""
    notice(call.repository)
    policy, intent_id = policy_of(call.repository), str(rules.asked_of(SELECT, call.arguments).intent_id)
    intent = policy.intent(intent_id)
    if intent is None:
        raise refuse("INTENT_NOT_FOUND", f"there is no intent {intent_id}", "read an intent", policy)
    return {"intent_id": intent.id, **_described(call, policy, _who(call), intent, tells=False)}


def listed(call: Call) -> dict[str, Any]:
    """Return the intents of the registry, those that may be selected unless another status is asked for."""
    notice(call.repository)
    policy, who = policy_of(call.repository), _who(call)
    if policy.registry_error or policy.registry_digest is None:
        found = rules.objection(policy, rules.Wish(SELECT, ""), None)
        raise RefusedError(found or Refusal("REGISTRY_UNREADABLE", "it cannot be read", "list intents"))
    chosen = _with_status(policy, call.arguments.get("status_filter"))
    current = selection.read(call.repository, who.session_id)
    rows = [
        known(
            {
                "intent_id": intent.id,
                "name": cut(intent.name),
                "status": intent.status,
                "owned_scope": [cut(pattern) for pattern in intent.scope[:MAX_PATTERNS]],
                "more_patterns": max(0, len(intent.scope) - MAX_PATTERNS) or None,
                "blocked_reason": cut(intent.blocked_reason),
                "selected": intent.id == current or None,
            }
        )
        for intent in chosen[:MAX_LISTED]
    ]
    shown = fitting(rows)
    return {"intents": shown, "total": len(chosen), **({"truncated": True} if len(shown) < len(chosen) else {})}


def complete(call: Call) -> dict[str, Any]:
    """Mark an intent done with the evidence for it, and let go of it."""
    notice(call.repository)
    policy, who = policy_of(call.repository), _who(call)
    wish = rules.asked_of(COMPLETE, call.arguments)
    objections = [rules.completion_objection(policy, wish, current) for current in _selected(call, who)]
    refusal = objections[0] if all(objections) else None
    intent = policy.intent(wish.intent_id)
    if refusal is not None or intent is None:
        raise RefusedError(refusal or Refusal("INTENT_NOT_FOUND", "it is gone", f"complete {wish.intent_id}"))
    author = Author("ai", who.agent, who.session_id)
    finish(call.repository, intent.id, wish.reasoning, by=TOOL, who=author)
    # A hook lets go of it for its session; nobody else does so for the worktree.
    apart = author._replace(session_id=None) if who.heard else author
    deselect(call.repository, intent.id, f"{intent.id} was completed", by=SERVER, who=apart)
    done = registry_file.require(call.repository, intent.id)
    left = [other.id for other in policy_of(call.repository).intents.open(MAX_LISTED + 1) if other.id != done.id]
    return {"intent_id": done.id, "status": done.status, **_binding(who), "open_intents": left[:MAX_LISTED]}


def state(repository: Repository, intent_id: str) -> dict[str, Any]:
    """Return all that the registry says of one intent."""
    intent = next((one for one in registry_file.read(repository) if one.id == intent_id), None)
    if intent is None:
        policy = policy_of(repository)
        reason = f"there is no intent {intent_id}; open ones: {policy.offer()}"
        raise refuse("INTENT_NOT_FOUND", reason, "read an intent", policy)
    return known(state_of(intent))


def _who(call: Call) -> Caller:
    return caller(call.repository, call.client, call.tool, call.arguments)


def _selected(call: Call, who: Caller) -> list[str | None]:
    """Return what is selected in each session that this call may come from."""
    return [selection.read(call.repository, session) for session in who.sessions or (who.session_id,)]


def _binding(who: Caller) -> dict[str, Any]:
    """Return for which session a selection was made, and whether its hook or the server records it."""
    if who.heard:
        return {"recorded_by": _HOOK, "selected_for": _SESSION, "session_id": who.session_id}
    whom = _SESSION if who.session_id else _WORKTREE
    return {"recorded_by": SERVER, "selected_for": whom, "session_id": who.session_id}


def _with_status(policy: Policy, told: object) -> list[Intent]:
    if not isinstance(told, str) or not told.strip():
        return policy.intents.open(len(policy.intents))
    status = told.strip().upper()
    status = SYNONYMS.get(status, status)
    if status == ALL:
        return list(policy.intents)
    if status not in STATUSES:
        raise refuse("INVALID_INPUT", f"there is no status {told}; write {', '.join((*STATUSES, ALL))}", "list intents")
    return [intent for intent in policy.intents if intent.status == status]


def _described(call: Call, policy: Policy, who: Caller, intent: Intent, *, tells: bool) -> Mapping[str, Any]:
    """Return what the agent has to know of an intent, and record which lessons it was told."""
    text, shown = checkout.described(call.repository, policy, intent)
    if tells and shown:
        _record(call, who, Draft("lessons.shown", "unknown", {"intent_id": intent.id, "lesson_ids": shown}))
    about = {"name": cut(intent.name), "status": intent.status, "context": text[:MAX_CONTEXT]}
    return about | ({"criteria": _criteria(call.repository, intent)} if intent.checks else {})


def _criteria(repository: Repository, intent: Intent) -> list[dict[str, Any]]:
    """Return how far each criterion is that a command decides."""
    with open_tables(repository) as tables:
        rows = progress(tables, [intent])[intent.id]
    told = ({name: cut(row[name]) if name in ("criterion", "excerpt") else row[name] for name in row} for row in rows)
    return [known(row) for row in told if row["run"] is not None][:MAX_LISTED]


def _record(call: Call, who: Caller, draft: Draft) -> None:
    now_ns = time.time_ns()
    event = Event(
        id=new_id(now_ns),
        timestamp=rfc3339(now_ns),
        type=draft.type,
        session_id=who.session_id,
        agent=who.agent,
        contributor=draft.contributor,
        intent_id=draft.data["intent_id"],
        vcs=head(call.repository),
        data=draft.data,
    )
    Ledger(call.repository).append([event])
