"""Tell a worker what to do: its task, what it may change, who else is at work, and how to give back."""

from collections.abc import Iterator, Mapping, Sequence

from linetrail.ledger.gate.roles import ARCHITECT, BUILDER, TESTER
from linetrail.ledger.gate.settings import BLOCK
from linetrail.ledger.intents.intent import Intent
from linetrail.queries.render.text import plain
from linetrail.queries.work.plan import Meeting

_ROLES = {
    ARCHITECT: "You are the architect: change no file. Record what you plan with `linetrail intents` and "
    "`linetrail record-decision`, and look at it with `linetrail plan`.",
    BUILDER: "You are the builder: make what this intent is about.",
    TESTER: "You are the tester: write tests, run them, and read all else; what they find is for a builder to mend.",
}


def lines(
    intent: Intent,
    branch: str,
    neighbours: Mapping[str, Intent],
    meetings: Sequence[Meeting] = (),
    *,
    mode: str = BLOCK,
    evicted: str | None = None,
    role: str | None = None,
) -> Iterator[str]:
    """Yield the brief as Markdown; `evicted` is what came in the way when this work was to land."""
    yield from (f"# {intent.id}: {plain(intent.name)}", "")
    yield f"You work alone in this worktree, on the branch `{branch}`. The intent is selected for you."
    if intent.description:
        yield from ("", intent.description)
    if evicted:
        yield from ("", "## Why it came back", "", evicted.rstrip())
    yield from _list("You may change", intent.scope)
    if role is not None:
        yield from ("", _ROLES[role])
    refused = "is refused" if mode == BLOCK else "stands against your work when it is given back"
    yield from ("", f"Whatever else you change {refused}; ask for more scope instead of working around it.")
    yield from _list("What has to stay true", intent.constraints)
    yield from _list("Done when", intent.criteria)
    beside = [f"{one.id} {plain(one.name)}: {', '.join(one.scope)}" for one in neighbours.values()]
    yield from _list("Others at work, in worktrees of their own", beside)
    met = [f"with {one.of(intent.id)}: {plain(one.reason)}" for one in meetings]
    yield from _list("You may meet", met)
    yield from ("", "## When you are done", "")
    yield "Commit on this branch, or leave the files as they are. Merge, rebase and push nothing. Then run"
    yield from ("", f"    linetrail give-back {intent.id}")


def _list(title: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield from ("", f"## {title}", "")
        yield from (f"- {plain(item)}" for item in items)
