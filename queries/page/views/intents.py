"""The intents by status, with their scopes, what two of them both own, and what was done for each."""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice

from linetrail.ledger.errors import IntentError
from linetrail.ledger.intents import registry_file
from linetrail.ledger.intents.intent import STATUSES, Intent, state_of
from linetrail.ledger.intents.overlaps import overlap
from linetrail.queries.answers.criteria import progress
from linetrail.queries.page import charts
from linetrail.queries.page.view import Asked, Record, Shown, question

# In the order of the work; a status that is none of ours comes last.
ORDER = ("IN_PROGRESS", "BLOCKED", "DRAFT", "DONE", "ABORTED")
# So many pairs of scopes are compared while somebody waits, and so many intents have room on a circle.
MOST_PAIRS, MOST_NODES = 2_000, 24


def show(asked: Asked) -> Shown:
    """Return the intents of the registry, those at work first."""
    try:
        found, problem = list(registry_file.read(asked.repository)), None
    except IntentError as error:
        found, problem = [], str(error)
    with asked.tables() as tables:
        changes = question(asked, tables, "changes_by", by="intent")
        cost = question(asked, tables, "cost_by", dim="intent")
        criteria = progress(tables, found)
    changed, spent = ({row["dim"]: row for row in one["rows"]} for one in (changes, cost))
    states = [state_of(intent) for intent in found]
    rows = [
        state | {"changed": changed.get(state["id"]), "cost": spent.get(state["id"]), "criteria": criteria[state["id"]]}
        for state in states
    ]
    others = sorted({row["status"] for row in rows} - set(STATUSES))
    shared = list(_shared([intent for intent in found if not intent.closed]))
    about = {
        "statuses": [*(name for name in ORDER if any(row["status"] == name for row in rows)), *others],
        "problem": problem,
        "overlaps": shared,
        "graph": _graph(shared),
        "changes": {**changes, "rows": []},
        "costs": {**cost, "rows": []},
    }
    return Shown("Intents", rows, about)


def _shared(working: Sequence[Intent]) -> Iterator[Record]:
    """Yield the pairs of open intents that own a file together, with one that they do."""
    for one, other in islice(combinations(working, 2), MOST_PAIRS):
        found = overlap(one.scope, other.scope)
        if found is not None:
            yield {"first_id": one.id, "second_id": other.id, **found._asdict()}


def _graph(shared: Sequence[Record]) -> charts.Graph | None:
    """Return a graph of the intents that share files; None where it would be empty, or nobody could read it."""
    names = list(dict.fromkeys(row[side] for row in shared for side in ("first_id", "second_id")))
    if not 2 <= len(names) <= MOST_NODES:
        return None
    return charts.graph(names, [(row["first_id"], row["second_id"], row["path"] or "perhaps a file") for row in shared])
