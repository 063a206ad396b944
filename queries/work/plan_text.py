"""Show a plan to a person, and as a graph."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby

from linetrail.ledger.intents.intent import Intent
from linetrail.queries.render.text import counted, plain
from linetrail.queries.work.partition import Part
from linetrail.queries.work.plan import Plan

MAX_PATTERNS = 6


def page(planned: Plan, risk: float) -> Iterator[str]:
    """Yield the batches with their intents, then the pairs that would meet."""
    if not planned.intents:
        yield "no intent is open; linetrail intents add makes one"
        return
    for number, found in groupby(planned.intents, key=lambda one: planned.batches[one.id]):
        yield f"batch {number}"
        for one in found:
            waits = ", ".join(planned.waits[one.id])
            yield f"  {one.id}  {plain(one.name)}" + (f"  (waits for {waits})" if waits else "")
    if not planned.meetings:
        yield "no two of them may change the same file"
        return
    yield "would meet"
    for each in planned.meetings:
        apart = "" if each.probability >= risk else "; may run together"
        yield f"  {each.one} {each.other}  {each.probability:4.0%}  {plain(each.reason)}{apart}"
        for path in (*each.definitions, *each.calls):
            yield f"      {plain(path)}"


def dot(planned: Plan) -> str:
    """Return the plan as a graph: what would meet without arrows, what waits for another with one."""
    lines = ["graph plan {", "  node [shape=box];"]
    for one in planned.intents:
        label = f"{one.id}\n{one.name}\nbatch {planned.batches[one.id]}"
        lines.append(f"  {_quoted(one.id)} [label={_quoted(label)}];")
    for each in planned.meetings:
        label = (
            f"{each.probability:.0%} {each.files[0][1] if each.files else (each.overlap and each.overlap.path) or ''}"
        )
        lines.append(f"  {_quoted(each.one)} -- {_quoted(each.other)} [label={_quoted(label.strip())}];")
    for one in planned.intents:
        lines += [
            f"  {_quoted(one.id)} -- {_quoted(name)} [dir=forward, style=dashed];" for name in planned.waits[one.id]
        ]
    return "\n".join([*lines, "}"])


def parts(intent: Intent, found: Sequence[Part]) -> Iterator[str]:
    """Yield how an intent could be split."""
    if not found:
        yield f"{intent.id} owns no tracked file, so there is nothing to split"
    for number, each in enumerate(found, 1):
        beside = f"touched together {counted(each.together, 'time')}, beside other parts {counted(each.across, 'time')}"
        yield f"part {number}  {counted(len(each.files), 'file')}, {beside}"
        yield from (f"  {plain(pattern)}" for pattern in each.patterns[:MAX_PATTERNS])
        if len(each.patterns) > MAX_PATTERNS:
            yield f"  and {len(each.patterns) - MAX_PATTERNS} more"


def _quoted(text: str) -> str:
    return json.dumps("\n".join(plain(line) for line in text.split("\n")), ensure_ascii=False)
