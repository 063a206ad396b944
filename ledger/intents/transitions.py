"""What may be done with an intent: from which status to which, and what that changes in its registry.

DRAFT → IN_PROGRESS → DONE or BLOCKED, BLOCKED → IN_PROGRESS, anything open → ABORTED. What is closed for good is only
opened again on purpose. A refusal names the state and the next command.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.errors import IntentError
from linetrail.ledger.intents.edits import Change, Registry
from linetrail.ledger.intents.intent import ABORTED, BLOCKED, DONE, DRAFT, IN_PROGRESS, Intent
from linetrail.ledger.intents.links import is_settled
from linetrail.ledger.intents.rules import ID

# verb -> the status it leads to, and the ones it may be used in
TRANSITIONS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "start": (IN_PROGRESS, (DRAFT, BLOCKED)),
    "done": (DONE, (IN_PROGRESS,)),
    "block": (BLOCKED, (DRAFT, IN_PROGRESS)),
    "abort": (ABORTED, (DRAFT, IN_PROGRESS, BLOCKED)),
    "reopen": (IN_PROGRESS, (DONE, ABORTED)),
}
# What an agent may do by itself where the gate blocks: everything else widens what may be written, or takes it back.
OWN_VERBS = frozenset({"done"})
# field that is a list of texts -> its name in an Intent
LISTED = {
    "owned_scope": "scope",
    "constraints": "constraints",
    "acceptance_criteria": "criteria",
    "dependencies": "dependencies",
    "references": "references",
}
_NEXT = {DRAFT: "start", IN_PROGRESS: "done", BLOCKED: "start", DONE: "reopen", ABORTED: "reopen"}


class TransitionError(IntentError):
    """A step that the state of an intent does not allow."""


class Fields(NamedTuple):
    """What a new intent is made of; what is None is not written."""

    name: str
    scope: Sequence[str]
    status: str = DRAFT
    description: str | None = None
    owner: str | None = None
    priority: str | None = None
    constraints: Sequence[str | Mapping[str, Any]] = ()
    criteria: Sequence[str | Mapping[str, Any]] = ()
    dependencies: Sequence[str] = ()
    parent: str | None = None
    forked_from: str | None = None


def move(intents: Sequence[Intent], intent_id: str, verb: str, *, reason: str | None = None) -> Change:
    """Return the change that a verb makes, or raise where the intent is in no state for it."""
    status, allowed = TRANSITIONS[verb]
    intent = find(intents, intent_id)
    if intent.status not in allowed:
        following = _NEXT.get(intent.status)
        hint = f"linetrail intents {following} {intent_id}" if following else "linetrail intents lint"
        said = "already " if intent.status == status else ""
        raise TransitionError(f"{intent_id} is {said}{intent.status}; {verb} is for {' or '.join(allowed)}", hint)

    def change(registry: Registry) -> Registry:
        changed = registry.set(intent_id, "status", status)
        if verb == "block" and reason is not None:
            changed = changed.set(intent_id, "blocked_reason", reason)
        elif intent.blocked_reason is not None and status == IN_PROGRESS:
            changed = changed.set(intent_id, "blocked_reason", None)
        if verb == "reopen" and intent.merged_into is not None:
            changed = changed.set(intent_id, "merged_into", None)
        return _touched(changed, intent)

    return change


def waits_for(intents: Sequence[Intent], intent_id: str) -> list[Intent]:
    """Return the intents that have to be done before this one is begun."""
    known = {intent.id: intent for intent in intents}
    wanted = [known[name] for name in find(intents, intent_id).dependencies if name in known]
    return [intent for intent in wanted if not is_settled(intent, known)]


def add(intents: Sequence[Intent], intent_id: str, fields: Fields) -> Change:
    """Return the change that writes a new intent behind the others."""
    if any(intent.id == intent_id for intent in intents):
        raise TransitionError(f"{intent_id} is here already", f"linetrail intents show {intent_id}")
    now = _now()
    told: dict[str, Any] = {
        "id": intent_id,
        "name": fields.name,
        "description": fields.description,
        "status": fields.status,
        "owner": fields.owner,
        "priority": fields.priority,
        "created_at": now,
        "updated_at": now,
        "owned_scope": list(fields.scope),
        "constraints": list(fields.constraints),
        "acceptance_criteria": list(fields.criteria),
        "dependencies": list(fields.dependencies) or None,
        "parent_intent": fields.parent,
        "forked_from": fields.forked_from,
    }
    written = {field: value for field, value in told.items() if value is not None}
    return lambda registry: registry.add(written)


def remove(intents: Sequence[Intent], intent_id: str) -> Change:
    """Return the change that takes an intent out of the file."""
    gone = find(intents, intent_id).id
    return lambda registry: registry.drop(gone)


def amend(
    intents: Sequence[Intent],
    intent_id: str,
    *,
    put: Sequence[tuple[str, str | None]] = (),
    add: Sequence[tuple[str, str]] = (),
    remove: Sequence[tuple[str, str]] = (),
) -> Change:
    """Return the change that puts texts into fields of an intent, and adds items to its lists or takes them out."""
    intent = find(intents, intent_id)

    def change(registry: Registry) -> Registry:
        before = registry.text
        for field, value in put:
            registry = registry.set(intent_id, field, value)
        for field, item in add:
            registry = registry if item in getattr(intent, LISTED[field]) else registry.append(intent_id, field, item)
        for field, item in remove:
            registry = registry.remove(intent_id, field, item)
        return registry if registry.text == before else _touched(registry, intent)

    return change


def merge(intents: Sequence[Intent], merged: Sequence[str], into: str) -> Change:
    """Return the change that lets one intent go on with what others are about."""
    if into in merged:
        raise TransitionError(f"{into} cannot be merged into itself", "linetrail intents list")
    target, sources = find(intents, into), [find(intents, name) for name in dict.fromkeys(merged)]
    for intent in (target, *sources):
        _may_merge(intent, into)

    def change(registry: Registry) -> Registry:
        for field, values in _united(target, sources):
            for value in values:
                registry = registry.append(into, field, value)
        for source in sources:
            if source.id in target.dependencies:
                registry = registry.remove(into, "dependencies", source.id)
        registry = _touched(registry, target)
        for source in sources:
            # What is done stays done; the rest is given up for the intent that goes on with it.
            given_up = registry if source.status == DONE else registry.set(source.id, "status", ABORTED)
            registry = _touched(given_up.set(source.id, "merged_into", into), source)
        return registry

    return change


def _may_merge(intent: Intent, into: str) -> None:
    if intent.status == ABORTED or (intent.id == into and intent.status == DONE):
        where = f", merged into {intent.merged_into}" if intent.merged_into else ""
        raise TransitionError(f"{intent.id} is {intent.status}{where}", f"linetrail intents reopen {intent.id}")


def find(intents: Iterable[Intent], intent_id: str) -> Intent:
    """Return one intent by its id, or name those there are."""
    known = {intent.id: intent for intent in intents}
    if intent_id in known:
        return known[intent_id]
    available = ", ".join(known) or "none"
    raise TransitionError(f"no intent {intent_id} is here; available: {available}", "linetrail intents list")


def free_id(intents: Iterable[Intent], recorded: Iterable[str] = ()) -> str:
    """Return the next number: behind all that are here, and behind those that the ledger tells of.

    >>> free_id([], ["INT-009", "other"])
    'INT-010'
    """
    taken = [name for name in (*(intent.id for intent in intents), *recorded) if ID.fullmatch(name)]
    return f"INT-{max((int(name[4:]) for name in taken), default=0) + 1:03}"


def _united(target: Intent, sources: Sequence[Intent]) -> Iterable[tuple[str, list[Any]]]:
    """Yield what is added to each list of the target; it cannot wait for what it takes in, nor for itself."""
    gone = {target.id, *(source.id for source in sources)}
    for field, name in (
        ("owned_scope", "scope"),
        ("constraints", "constraints"),
        ("constraints", "rules"),
        ("acceptance_criteria", "acceptance"),
        ("dependencies", "dependencies"),
    ):
        own = list(getattr(target, name))
        added = []
        for source in sources:
            for value in getattr(source, name):
                if value not in own and value not in added and not (name == "dependencies" and value in gone):
                    added.append(value)
        yield field, added


def _touched(registry: Registry, intent: Intent) -> Registry:
    """Say when an intent was changed, where its registry says such things."""
    return registry if intent.updated_at is None else registry.set(intent.id, "updated_at", _now())


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
