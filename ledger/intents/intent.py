"""One intent: a piece of work, its status, and the files it owns."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.files import sha256

DRAFT, IN_PROGRESS, DONE, BLOCKED, ABORTED = STATUSES = ("DRAFT", "IN_PROGRESS", "DONE", "BLOCKED", "ABORTED")
# A second vocabulary is in use for the status. Here it ends in the first; the file keeps its own.
SYNONYMS = {"PENDING": DRAFT, "COMPLETED": DONE}
APPROVALS = ("none", "destructive", "all")
CLOSED = frozenset({*SYNONYMS, *STATUSES} - {DRAFT, IN_PROGRESS, "PENDING"})
# What the file may take.
MAX_BYTES = 4 << 20
TOO_LARGE = f"larger than {MAX_BYTES >> 20} MB; move intents that are done to another file"
# What one intent may take in an event, which has room for how it was and how it is; what is longer is cut to texts of
# so many characters in lists of so many, until it fits.
MAX_STATE = 24_000
_CUTS = ((200, 40), (80, 10), (40, 8))


class Intent(NamedTuple):
    """One piece of work: its name, how far it is, the files that are its own, and the line it is written in."""

    id: str
    name: str
    status: str  # one of STATUSES, or what is written where that is none
    scope: tuple[str, ...]
    line: int
    written: str | None = None  # the status as the file spells it
    description: str | None = None
    owner: str | None = None
    priority: str | None = None
    constraints: tuple[str, ...] = ()  # in words
    rules: tuple[Mapping[str, Any], ...] = ()  # constraints that are checked
    criteria: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    parent: str | None = None
    references: tuple[str, ...] = ()
    blocked_reason: str | None = None
    created_at: str | None = None
    updated_at: str | None = None
    forked_from: str | None = None
    merged_into: str | None = None
    metadata: Any = None
    checks: tuple[Mapping[str, Any], ...] = ()  # criteria that a command decides, as they are written
    approval: str | None = None  # one of APPROVALS: what of it a person approves though it is in scope
    flaws: tuple[str, ...] = ()  # "CODE: sentence"; nothing may be done for an intent with one until it is mended

    @property
    def closed(self) -> bool:
        """Nothing may be done for it now."""
        return self.status in CLOSED

    @property
    def acceptance(self) -> tuple[str | Mapping[str, Any], ...]:
        """Its criteria as they are written: texts, and maps of those that a command decides."""
        maps = {check.get("text") or check.get("run"): check for check in self.checks}
        return tuple(maps.get(text, text) for text in self.criteria)


class Offer(NamedTuple):
    """Intents that may be selected: id and name of the first of them, and how many more there are."""

    named: Sequence[tuple[str, str]] = ()
    more: int = 0

    def __str__(self) -> str:
        named = ", ".join(intent_id for intent_id, _ in self.named) or "none"
        return f"{named} and {self.more:,} more" if self.more else named


def state_of(intent: Intent) -> dict[str, Any]:
    """Return what an event says about an intent: the `IntentState` of the published schema.

    Of an intent that is too long for an event, long texts and lists are cut, and end in a hash of the whole.
    """
    state = {
        "id": intent.id,
        "name": intent.name,
        "status": intent.status,
        "scope": list(intent.scope),
        "description": intent.description,
        "owner": intent.owner,
        "priority": intent.priority,
        "constraints": [*intent.constraints, *map(compact, intent.rules)],
        "acceptance_criteria": list(intent.criteria),
        "dependencies": list(intent.dependencies),
        "parent_intent": intent.parent,
        "references": list(intent.references),
        "blocked_reason": intent.blocked_reason,
        "forked_from": intent.forked_from,
        "merged_into": intent.merged_into,
        "approval": intent.approval,
        "checks": [compact(check) for check in intent.checks],
    }
    for length, items in _CUTS:
        if len(compact(state).encode()) <= MAX_STATE:
            break
        state = {name: _cut(value, length, items) for name, value in state.items()}
    return state


def compact(value: Any) -> str:
    """Write a plain value as JSON on one line, always in the same way."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _cut(value: Any, length: int, items: int) -> Any:
    if isinstance(value, str) and len(value) > length:
        return f"{value[:length]}… {_hash(value)}"
    if isinstance(value, list):
        rest = [f"… {len(value) - items} more {_hash(value)}"] if len(value) > items else []
        return [*(_cut(item, length, items) for item in value[:items]), *rest]
    return value


def _hash(value: Any) -> str:

    return f"sha256:{sha256(compact(value).encode()).hexdigest()}"
