"""Narrate the play: what each agent asked for, what the gate answered, and what the ledger shows."""

import json
from collections.abc import Iterator, Mapping

from linetrail.projections.tables.table import Table
from linetrail.queries.demonstration.play import CAST, Heard
from linetrail.queries.demonstration.promises import PROMISES
from linetrail.queries.demonstration.story import ARCHITECT, BUILDER, BUILDING, DESCRIBING, STORY
from linetrail.queries.render.text import counted, with_short_hashes

_OWN = {ARCHITECT: (DESCRIBING, "describes the API"), BUILDER: (BUILDING, "builds it")}


def introduced(folder: str) -> str:
    cast = [f"  {name:<9}  {agent:<11}  {_OWN[name][0]}, {_OWN[name][1]}" for name, agent in CAST.items()]
    head = f"Two agents on one ledger, each a process of its own, in {folder} (enforce: block):"
    return "\n".join([head, *cast])


def told(heard: Mapping[str, Heard], rows: Table) -> Iterator[str]:
    """Yield a paragraph for each step, then the promises that belong to no step."""
    found = list(zip(PROMISES, rows.mappings(), strict=True))
    for number, step in enumerate(STORY["steps"], 1):
        told = heard.get(step)
        asked = "(never came to this)" if told is None else told.asked
        who = "" if told is None else told.agent
        yield f"{number:>2}  {who:<9}  {asked}"
        if told is not None:
            yield f"    {'gate':<9}  {_answer(told.refused)}"
        yield from (_ledger(row) for promise, row in found if promise.step == step)
    yield from (_ledger(row) for promise, row in found if promise.step is None)


def promised(rows: Table) -> Iterator[str]:
    """Yield a line for each promise, with what the ledger has."""
    return map(_ledger, rows.mappings())


def summed_up(rows: Table) -> str:
    """Return how many promises the ledger shows to be kept, and which are not."""
    missing = [row for row in rows.mappings() if not row["ok"]]
    if not missing:
        return f"all {counted(len(rows.rows), 'promise')} kept, as the ledger has it"
    lines = [f"  {row['step']}: {row['expected']} was promised, the ledger has {row['observed']}" for row in missing]
    return "\n".join([f"{len(missing)} of {counted(len(rows.rows), 'promise')} not kept:", *lines])


def _answer(refused: str | None) -> str:
    if refused is None:
        return "go on"
    said = json.loads(refused.splitlines()[-1])
    return with_short_hashes(f"refused {said['code']}: {said['message']}")


def _ledger(row: Mapping[str, object]) -> str:
    mark = "ok" if row["ok"] else f"MISSING, it should be {row['expected']}"
    return f"    {'ledger':<9}  {row['step']}: {row['observed']}  {mark}"
