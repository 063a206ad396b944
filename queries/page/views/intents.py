"""The intents by status, with their scopes, how far the work for each is, and which of them would meet in a file."""

from collections.abc import Mapping

from linetrail.ledger.errors import GitError, IntentError
from linetrail.ledger.intents import registry_file
from linetrail.ledger.intents.intent import STATUSES, state_of
from linetrail.ledger.intents.overlaps import Overlap
from linetrail.queries.answers.criteria import progress
from linetrail.queries.page import charts
from linetrail.queries.page.view import Asked, Record, Shown, question
from linetrail.queries.work import states
from linetrail.queries.work.plan import COLUMNS, RISK, Meeting, Plan, plan, rows
from linetrail.queries.work.states import Work

# In the order of the work; a status that is none of ours comes last.
ORDER = ("IN_PROGRESS", "BLOCKED", "DRAFT", "DONE", "ABORTED")
# So many open intents are planned while somebody waits, and so many have room on a circle.
MOST_PLANNED, MOST_NODES = 100, 24


def show(asked: Asked) -> Shown:
    """Return the intents of the registry, those at work first, and what was changed for others."""
    try:
        found, problem = list(registry_file.read(asked.repository)), None
    except IntentError as error:
        found, problem = [], str(error)
    with asked.tables() as tables:
        changes = question(asked, tables, "changes_by", by="intent")
        cost = question(asked, tables, "cost_by", dim="intent")
        criteria = progress(tables, found)
    works = states.works(asked.repository)
    changed, spent = ({row["dim"]: row for row in one["rows"]} for one in (changes, cost))
    described = [state_of(intent) for intent in found]
    shown = [
        one
        | {"changed": changed.get(one["id"]), "cost": spent.get(one["id"]), "criteria": criteria[one["id"]]}
        | {"work": works[one["id"]]._asdict() if one["id"] in works else None}
        for one in described
    ]
    others = sorted({row["status"] for row in shown} - set(STATUSES))
    known = {one["id"] for one in described}
    planned, trouble = _planned(asked, sum(not intent.closed for intent in found))
    about = {
        "statuses": [*(name for name in ORDER if any(row["status"] == name for row in shown)), *others],
        "others": [row for row in changes["rows"] if row["dim"] is not None and row["dim"] not in known],
        "problem": problem or trouble,
        "plan": [dict(zip(COLUMNS, row, strict=True)) for row in rows(planned)] if planned else [],
        "overlaps": [_pair(each) for each in planned.meetings] if planned else [],
        "risk": RISK,
        "graph": _graph(planned, works) if planned else None,
        "changes": {**changes, "rows": []},
        "costs": {**cost, "rows": []},
    }
    return Shown("Intents", shown, about)


def _planned(asked: Asked, count: int) -> tuple[Plan | None, str | None]:
    """Return the plan of the open intents, or why there is none."""
    if count > MOST_PLANNED:
        return None, f"{count} intents are open; linetrail plan says which would meet"
    try:
        return plan(asked.repository), None
    except (GitError, IntentError) as error:
        return None, str(error)


def _pair(each: Meeting) -> Record:
    owned = each.overlap._asdict() if each.overlap else {}
    pair = {"first_id": each.one, "second_id": each.other, "probability": each.probability, "reason": each.reason}
    return pair | {name: owned.get(name) for name in Overlap._fields}


def _graph(planned: Plan, works: Mapping[str, Work]) -> charts.Graph | None:
    """Return the open intents, with a line between those that would meet; None where nobody could read it."""
    notes: dict[str, str] = {}
    for one in planned.intents:
        waits = planned.waits[one.id]
        state = works[one.id].state if one.id in works else "waits" if waits else "ready"
        notes[one.id] = f"batch {planned.batches[one.id]}, {state.replace('_', ' ')}"
    if not 2 <= len(notes) <= MOST_NODES:
        return None
    return charts.graph(notes, [(each.one, each.other, each.reason, each.probability) for each in planned.meetings])
