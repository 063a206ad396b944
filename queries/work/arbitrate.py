"""Lay two works beside each other for whoever decides between them, and record what was decided."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from linetrail.ledger.files import make_folder, publish
from linetrail.ledger.intents import registry_file
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.knowledge.decision import Alternative
from linetrail.ledger.knowledge.lesson import from_demand
from linetrail.ledger.repository import Repository
from linetrail.projections.lines.decision_lines import decisions as recorded
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.record import decisions
from linetrail.queries.record.author import current_author
from linetrail.queries.record.lessons import learn
from linetrail.queries.work import merging, states, worktrees
from linetrail.queries.work.changes import changes
from linetrail.queries.work.start import CONTEXT
from linetrail.queries.work.states import AT_WORK, CHECKING, EVICTED, GIVEN_BACK, LANDED, Work, WorkError


class Side(NamedTuple):
    """One of two works: its intent, how far it is, and what it changes."""

    intent: Intent
    work: Work
    head: str
    files: Sequence[str]


class Case(NamedTuple):
    """Two works, the files that both change, and where git cannot merge them: the places, with both sides."""

    one: Side
    other: Side
    shared: Sequence[str]
    conflicts: Sequence[str]
    hunks: str


def case(main: Repository, one: str, other: str) -> Case:
    """Return the facts of two works."""
    first, second = _side(main, one), _side(main, other)
    merged = merging.merge(main, first.head, second.head)
    hunks = merging.hunks(main, merged) if merged.conflicts else ""
    shared = sorted(set(first.files) & set(second.files))
    return Case(first, second, shared, merged.conflicts, hunks)


def decide(main: Repository, facts: Case, winner: str, why: str) -> str:
    """Record who goes first and why, as a decision and as a lesson; the other goes back with that in its brief.

    Returns the id of the decision. What has landed can only have gone first, and what was given up goes nowhere.
    """
    kept, loser = (facts.one, facts.other) if winner == facts.one.intent.id else (facts.other, facts.one)
    states.require(loser.work, *sorted(AT_WORK))
    states.require(kept.work, *sorted(AT_WORK), LANDED)
    who = current_author(main)
    wish = decisions.Wish(
        title=f"{kept.intent.id} goes before {loser.intent.id}",
        rationale=why,
        alternatives=[Alternative(f"{loser.intent.id} goes first", why)],
    )
    with open_tables(main) as tables:
        made = decisions.decided(main, main.root, wish, recorded(tables))
    decisions.record(main, [(made, decisions.Author(who.session_id, who.agent, kept.intent.id))])
    place = facts.shared[0] if facts.shared else None
    told = f"{kept.intent.id} and {loser.intent.id} both changed {place or 'what the other needs'}"
    learn(main, from_demand(told, place, kept.intent.id, resolution=why), kept.intent.id, who)
    _send_back(main, loser, kept, facts, why)
    return made.id


def _side(main: Repository, intent_id: str) -> Side:
    work = states.work(main, intent_id)
    if work.branch is None or work.base is None:
        raise WorkError(f"no work for {intent_id} was begun", f"linetrail start {intent_id}")
    head = worktrees.tip(main, work.branch)
    files = [change.path for change in changes(main, work.base, head)]
    return Side(registry_file.require(main, intent_id), work, head, files)


def _send_back(main: Repository, loser: Side, kept: Side, facts: Case, why: str) -> None:
    lines = [
        f"ARBITRATED: {kept.intent.id} {kept.intent.name} goes first: {why}", "",
        "Begin again once it has landed: what it changed is then merged into this branch.", "",
        *(f"- {path}" for path in facts.shared),
        *(["", "```", facts.hunks, "```"] if facts.hunks else []), "",
    ]  # fmt: skip
    folder = states.folder_of(main, loser.intent.id)
    make_folder(folder)
    publish(os.path.join(folder, CONTEXT), "\n".join(lines).encode(errors="replace"), durable=True)
    if loser.work.state == GIVEN_BACK:
        states.move(main, loser.intent.id, CHECKING, head=loser.head)
        states.move(main, loser.intent.id, EVICTED, reason=lines[0])
