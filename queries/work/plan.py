"""Plan open intents: which would meet in a file, how likely that is and why, and which may run together.

Two intents that one depends on, or is part of, never run at once, so nothing is predicted for them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.errors import IntentError
from linetrail.ledger.intents import registry_file
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.intents.links import ancestors, cycles, is_settled, near
from linetrail.ledger.intents.overlaps import Overlap, overlap
from linetrail.ledger.intents.problems import Entry
from linetrail.ledger.repository import Repository
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.statements import statement
from linetrail.queries.work.forecast import NEW, Forecast, any_of, both

# Pairs that meet less often than the first may run together; where scopes are disjoint, the second is the least told.
RISK, LEAST = 0.05, 0.01
MAX_FILES, MAX_DEFINITIONS = 5, 8


class PlanError(IntentError):
    """These intents cannot be planned."""

    hint = "linetrail intents lint"
    exit_status = 1


class Meeting(NamedTuple):
    """Two intents that may change the same file, and what speaks for that."""

    one: str
    other: str
    probability: float
    # of the scopes alone, as if nothing had ever been changed
    by_scope: float
    overlap: Overlap | None
    # probability and path, the likely ones first
    files: Sequence[tuple[float, str]]
    # what both own: paths with definitions; and which definition of one uses which of the other
    definitions: Sequence[str] = ()
    calls: Sequence[str] = ()

    @property
    def reason(self) -> str:
        """Why they would meet, in a few words."""
        if self.overlap is None:
            return f"{self.files[0][1]} changed together with files of the other before"
        example = self.overlap.path or "a file"
        return f"both own {example}, by {self.overlap.first} and {self.overlap.second}"

    def of(self, intent_id: str) -> str:
        return self.other if intent_id == self.one else self.one


class Plan(NamedTuple):
    """The intents in the order in which they may begin, the batch of each, and all pairs that would meet."""

    intents: Sequence[Intent]
    batches: Mapping[str, int]
    # what each waits for, of those that are not settled
    waits: Mapping[str, Sequence[str]]
    meetings: Sequence[Meeting]


def plan(
    repository: Repository,
    wanted: Sequence[str] = (),
    *,
    risk: float = RISK,
    with_history: bool = True,
    definitions: bool = False,
) -> Plan:
    known = {intent.id: intent for intent in registry_file.read(repository)}
    chosen = [known[intent_id] for intent_id in wanted] or [one for one in known.values() if not one.closed]
    waits = {one.id: tuple(_waits(one, known)) for one in chosen}
    for cycle in cycles(waits):
        raise PlanError(f"{' → '.join(cycle)}: each waits for the next")
    forecast = Forecast.of(repository, with_history=with_history)
    meetings = list(predicted(chosen, forecast, waits))
    if definitions:
        meetings = list(_with_definitions(repository, meetings))
    batches = batched(chosen, waits, [one for one in meetings if one.probability >= risk])
    return Plan(sorted(chosen, key=lambda one: batches[one.id]), batches, waits, meetings)


def predicted(
    intents: Sequence[Intent], forecast: Forecast, waits: Mapping[str, Sequence[str]] | None = None
) -> Iterator[Meeting]:
    """Yield the pairs that may touch the same file, the likely ones first."""
    known = {one.id: Entry(one, {}) for one in intents}
    above = {one.id: ancestors(one, known) | _all_waits(one.id, waits or {}) for one in intents}
    touched = {one.id: forecast.touches(one) for one in intents}
    alone = {one.id: forecast.alone.touches(one) for one in intents}
    found = []
    for first, second, is_near in _pairs(intents, touched):
        if first.id in above[second.id] or second.id in above[first.id]:
            continue
        shared = overlap(first.scope, second.scope) if is_near else None
        owned = forecast.owned(first), forecast.owned(second)
        real = owned[0].keys() & owned[1].keys()
        # who owns no file together may still meet in what is not there yet
        left_out = set() if shared and not real else {NEW}
        files = both(touched[first.id], touched[second.id], left_out)
        if shared or any_of(files) >= LEAST:
            scopes = any_of(both(alone[first.id], alone[second.id], left_out)) if shared else 0.0
            named = [each for each in files if each[1] != NEW][:MAX_FILES]
            path = next((path for _, path in files if path in real), None)
            if shared and path:
                shared = Overlap(owned[0][path], owned[1][path], path)
            found.append(Meeting(first.id, second.id, any_of(files), scopes, shared, named))
    yield from sorted(found, key=lambda each: (-each.probability, each.one, each.other))


def batched(
    intents: Sequence[Intent], waits: Mapping[str, Sequence[str]], meetings: Sequence[Meeting]
) -> dict[str, int]:
    """Return for each intent the first batch, from 1, that is behind all it waits for and has none that it meets."""
    beside: dict[str, set[str]] = {one.id: set() for one in intents}
    for each in meetings:
        beside[each.one].add(each.other)
        beside[each.other].add(each.one)
    batches: dict[str, int] = {}
    left = sorted(intents, key=lambda one: -len(beside[one.id]))
    while left:
        one = next(one for one in left if not any(other.id in waits[one.id] for other in left))
        left.remove(one)
        taken = {batches[other] for other in beside[one.id] if other in batches}
        least = 1 + max((batches[other] for other in waits[one.id] if other in batches), default=0)
        batches[one.id] = next(number for number in range(least, least + len(taken) + 1) if number not in taken)
    return batches


def _pairs(
    intents: Sequence[Intent], touched: Mapping[str, Mapping[str, float]]
) -> Iterator[tuple[Intent, Intent, bool]]:
    """Yield the pairs whose scopes are near each other, or that may touch the same file, and whether they are near."""
    place = {one.id: at for at, one in enumerate(intents)}
    neighbours = {(a.intent.id, b.intent.id) for a, b in near([Entry(one, {}) for one in intents])}
    found = set(neighbours)
    owners: dict[str, list[str]] = {}
    for one in intents:
        for path in touched[one.id].keys() - {NEW}:
            found.update((other, one.id) for other in owners.get(path, ()))
            owners.setdefault(path, []).append(one.id)
    for a, b in sorted(found, key=lambda pair: (place[pair[0]], place[pair[1]])):
        yield intents[place[a]], intents[place[b]], (a, b) in neighbours


def _waits(intent: Intent, known: Mapping[str, Intent]) -> Iterator[str]:
    return (name for name in intent.dependencies if name in known and not is_settled(known[name], known))


def _all_waits(intent_id: str, waits: Mapping[str, Sequence[str]]) -> set[str]:
    found: set[str] = set()
    left = list(waits.get(intent_id, ()))
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += waits.get(name, ())
    return found


def _with_definitions(repository: Repository, meetings: Sequence[Meeting]) -> Iterator[Meeting]:
    """Yield the meetings with what their files define, and which of these definitions use each other."""
    paths = sorted({path for each in meetings for _, path in each.files})
    with open_tables(repository) as tables:
        defined: dict[str, list[str]] = {}
        for path, name in tables.ask(statement("work_definitions"), {"paths": paths}).rows:
            defined.setdefault(path, []).append(f"{path}:{name}")
        calls = tables.ask(statement("work_calls"), {"paths": paths}).rows
    for each in meetings:
        files = [path for _, path in each.files]
        shared = [name for path in files for name in defined.get(path, ())]
        uses = [f"{source} → {used}" for path, source, used in calls if path in files]
        yield each._replace(definitions=shared[:MAX_DEFINITIONS], calls=uses[:MAX_DEFINITIONS])


COLUMNS = ("intent_id", "name", "status", "batch", "waits_for", "meets")


def rows(planned: Plan) -> list[tuple[Any, ...]]:
    """Return a row for each intent, with every other that it would meet."""
    return [
        (
            one.id,
            one.name,
            one.status,
            planned.batches[one.id],
            list(planned.waits[one.id]),
            [_record(each, one.id) for each in planned.meetings if one.id in (each.one, each.other)],
        )
        for one in planned.intents
    ]


def _record(each: Meeting, intent_id: str) -> dict[str, Any]:
    first, second, path = each.overlap or (None, None, None)
    mine, theirs = (first, second) if intent_id == each.one else (second, first)
    return {
        "intent_id": each.of(intent_id),
        "probability": round(each.probability, 3),
        "probability_by_scope": round(each.by_scope, 3),
        "reason": each.reason,
        "path": path or None,
        "pattern": mine,
        "other_pattern": theirs,
        "files": [{"path": path, "probability": round(probability, 3)} for probability, path in each.files],
        "definitions": list(each.definitions),
        "calls": list(each.calls),
    }
