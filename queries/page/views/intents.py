"""The intents by status, with their scopes and what was done for each."""

from linetrail.ledger.errors import IntentError
from linetrail.ledger.intents import registry_file
from linetrail.ledger.intents.intent import STATUSES, state_of
from linetrail.queries.page.view import Asked, Shown, question


def show(asked: Asked) -> Shown:
    """Return the intents of the registry, those at work first."""
    with asked.tables() as tables:
        changes = question(asked, tables, "changes_by", by="intent")
        cost = question(asked, tables, "cost_by", dim="intent")
    changed = {row["dim"]: row for row in changes["rows"]}
    try:
        found, problem = list(registry_file.read(asked.repository)), None
    except IntentError as error:
        found, problem = [], str(error)
    states = [state_of(intent) for intent in found]
    rows = [state | {"changed": changed.get(state["id"])} for state in states]
    order = [name for name in ("IN_PROGRESS", "BLOCKED", "DRAFT", "DONE", "ABORTED") if name in STATUSES]
    others = sorted({row["status"] for row in rows} - set(order))
    about = {"statuses": [*order, *others], "problem": problem, "changes": {**changes, "rows": []}, "cost": cost}
    return Shown("Intents", rows, about)
