"""The tools that keep what an agent says: decisions, and lessons."""

import os
from typing import Any

from linetrail.ledger.intents import selection
from linetrail.ledger.intents.changes import Author
from linetrail.ledger.knowledge.decision import alternative
from linetrail.ledger.knowledge.lesson import from_demand
from linetrail.ledger.knowledge.lessons import FOLDER_GLOB
from linetrail.projections.git import target
from linetrail.projections.lines.decision_lines import decisions as recorded
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.mcp.answers import Call, cut, known, refuse
from linetrail.queries.mcp.caller import caller
from linetrail.queries.record import decisions
from linetrail.queries.record.lessons import learn


def decide(call: Call) -> dict[str, Any]:
    """Record a decision for the intent that is selected."""
    repository, told = call.repository, call.arguments
    who = caller(repository, call.client, call.tool, told)
    intent_id = selection.read(repository, who.session_id)
    ways = told.get("alternatives")
    wish = decisions.Wish(
        title=told["title"],
        rationale=told.get("rationale"),
        supersedes=told.get("supersedes"),
        alternatives=None if ways is None else [alternative(way) for way in ways],
        lines=told.get("lines"),
    )
    with open_tables(repository) as tables:
        made = decisions.decided(repository, repository.root, wish, recorded(tables))
    decisions.record(repository, [(made, decisions.Author(who.session_id, who.agent, intent_id))])
    return known(
        {
            "decision_id": made.id,
            "title": cut(made.title),
            "status": made.status,
            "supersedes": made.supersedes,
            "intent_id": intent_id,
            "session_id": who.session_id,
        }
    )


def teach(call: Call) -> dict[str, Any]:
    """Record a lesson for the intent that is selected."""
    repository, told = call.repository, call.arguments
    if not told["text"].strip():
        raise refuse("INVALID_INPUT", "a lesson needs words", "record a lesson")
    who = caller(repository, call.client, call.tool, told)
    intent_id = selection.read(repository, who.session_id)
    path = _place(call, told["path"]) if told.get("path") else None
    helps = {name: told.get(name) for name in ("resolution", "pattern")}
    stated = from_demand(told["text"], path, intent_id, **helps)
    lesson, new = learn(repository, stated, intent_id, Author("ai", who.agent, who.session_id))
    return known(
        {
            "lesson_id": lesson.id,
            "title": cut(lesson.title),
            "path": lesson.path,
            "intent_id": intent_id,
            "new": new,
            "times": lesson.times,
        }
    )


def _place(call: Call, path: str) -> str | None:
    """Return the stored form of a path; a folder stands for all that is in it, the root for no place at all."""
    stored = target.locate(call.repository, call.repository.root, path)
    if stored == ".":
        return None
    is_folder = path.endswith("/") or os.path.isdir(call.repository.absolute(stored))
    return stored + FOLDER_GLOB if is_folder else stored
