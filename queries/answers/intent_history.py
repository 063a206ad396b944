"""Show the history of an intent, from the ledger, and how intents refer to each other, from the registry."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.repository import Repository
from linetrail.projections.tables.prefix import Cut
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.render.text import plain, short

COLUMNS = (
    "event_id",
    "seq",
    "occurred_at",
    "event_type",
    "contributor_type",
    "agent_name",
    "session_id",
    "by",
    "changes",
    "verification_notes",
    "reason",
    "registry_digest",
)
# column of v_intent_history -> the field as the registry spells it
_FIELDS = {
    "title": "name",
    "status": "status",
    "scope": "owned_scope",
    "description": "description",
    "owner": "owner",
    "priority": "priority",
    "constraints": "constraints",
    "acceptance_criteria": "acceptance_criteria",
    "dependencies": "dependencies",
    "parent_intent": "parent_intent",
    "reference_list": "references",
    "blocked_reason": "blocked_reason",
    "forked_from": "forked_from",
    "merged_into": "merged_into",
    "approval": "approval",
    "checks": "checks",
    "removed": "removed",
}
_LISTS = frozenset({"scope", "constraints", "acceptance_criteria", "dependencies", "reference_list", "checks"})
_HISTORY = "select * from v_intent_history where intent_id = $id order by position"
PARENT, DEPENDENCY, FORK, MERGE = "parent", "dependency", "fork", "merge"

Row = tuple[Any, ...]


def history(repository: Repository, intent_id: str, until: Cut | None) -> list[Row]:
    """Return what changed in an intent, event by event, as rows of COLUMNS."""
    rows, before = [], dict.fromkeys(_FIELDS)
    with open_tables(repository, until=until) as tables:
        states = list(tables.ask(_HISTORY, {"id": intent_id}).mappings())
    for state in states:
        after = {name: _read(name, state[name]) for name in _FIELDS}
        changes = [
            {"field": field, "before": before[name], "after": after[name]}
            for name, field in _FIELDS.items()
            if after[name] != before[name]
        ]
        before = after
        told = ("event_type", "contributor_type", "agent_name", "session_id", "told_by")
        rows.append(
            (
                *(state[name] for name in ("event_id", "position", "valid_from", *told)),
                changes,
                state["verification_notes"],
                state["reason"],
                state["registry_hash"],
            )
        )
    return rows


def pages(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a line for each event (when, what, who), then a line for each field that changed."""
    for number, values in enumerate(rows):
        row = dict(zip(COLUMNS, values, strict=True))
        if number:
            yield ""
        when = f"{row['occurred_at']:%Y-%m-%d %H:%M:%S}" if row["occurred_at"] else plain(None)
        what = row["event_type"].removeprefix("intent.")
        session = f", session {plain(short(row['session_id']))}" if row["session_id"] else ""
        yield f"{when}  {what}  by {_who(row)}{session}"
        width = max((len(change["field"]) for change in row["changes"]), default=0)
        for change in row["changes"]:
            yield from (f"  {line}".rstrip() for line in _lines(change, width))
        if row["verification_notes"]:
            yield f"  notes: {plain(row['verification_notes'])}"
        if row["reason"]:
            yield f"  reason: {plain(row['reason'])}"


def edges(found: Sequence[Intent]) -> list[tuple[str, str, str]]:
    """Return how intents refer to each other: from, to, kind."""
    return [
        (intent.id, other, kind)
        for intent in found
        for kind, others in (
            (PARENT, (intent.parent,)),
            (DEPENDENCY, intent.dependencies),
            (FORK, (intent.forked_from,)),
            (MERGE, (intent.merged_into,)),
        )
        for other in others
        if other is not None
    ]


def graph(found: Sequence[Intent]) -> Iterator[str]:
    """Yield the intents as a tree of parents, each with what else it refers to."""
    known = {intent.id: intent for intent in found}
    children: dict[str | None, list[Intent]] = {}
    for intent in found:
        children.setdefault(intent.parent if intent.parent in known else None, []).append(intent)
    shown: set[str] = set()
    ids, states = (max((len(text) for text in texts), default=0) for texts in (known, {i.status for i in found}))
    roots = children.get(None, [])
    # Whoever is only found going round in a circle of parents comes last.
    for root in (*roots, *found):
        for depth, intent in _below(root, children, shown):
            name = "   " * depth + plain(intent.id)
            yield f"{name:<{ids}}  {plain(intent.status):<{states}}  {plain(intent.name)}{_references(intent)}"


def _below(
    root: Intent, children: Mapping[str | None, Sequence[Intent]], shown: set[str]
) -> Iterator[tuple[int, Intent]]:
    waiting = [(0, root)]
    while waiting:
        depth, intent = waiting.pop()
        if intent.id in shown:
            continue
        shown.add(intent.id)
        yield depth, intent
        waiting.extend((depth + 1, child) for child in reversed(children.get(intent.id, ())))


def _references(intent: Intent) -> str:
    parts = [
        f"waits for {', '.join(map(plain, intent.dependencies))}" if intent.dependencies else "",
        f"split off {plain(intent.forked_from)}" if intent.forked_from else "",
        f"merged into {plain(intent.merged_into)}" if intent.merged_into else "",
    ]
    told = "; ".join(part for part in parts if part)
    return f"  ({told})" if told else ""


def _who(row: Mapping[str, Any]) -> str:
    if row["by"] == "found":
        return "somebody, found in the file"
    who = {"human": "a person", "ai": row["agent_name"] or "an agent"}.get(row["contributor_type"], "somebody")
    return f"{plain(who)}, {row['by']}" if row["by"] else plain(who)


def _lines(change: Mapping[str, Any], width: int) -> Iterator[str]:
    """Yield a field before and after the change; for a list, the items that were added and removed."""
    before, after, field = change["before"], change["after"], f"{change['field']:<{width}}"
    if isinstance(before, list | None) and isinstance(after, list | None):
        old, new = before or [], after or []
        yield from (f"{field}  - {plain(item)}" for item in old if item not in new)
        yield from (f"{field}  + {plain(item)}" for item in new if item not in old)
        if sorted(map(str, old)) == sorted(map(str, new)) and old != new:
            yield f"{field}  in another order"
    elif before is None:
        yield f"{field}  {plain(after)}"
    else:
        yield f"{field}  {plain(before)} → {plain(after)}"


def _read(name: str, value: Any) -> Any:
    """Return None for an empty list, so that a list that was never recorded and an empty one compare equal."""
    if name == "removed":
        return value or None
    if name not in _LISTS or value is None:
        return value
    return json.loads(value) or None
