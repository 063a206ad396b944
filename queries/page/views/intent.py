"""One intent: what it is for, its history, and what was changed for it, definitions first."""

from linetrail.queries.answers import intent_history
from linetrail.queries.answers.show import show as about
from linetrail.queries.page.view import Asked, NoSuchPageError, Shown, question


def show(asked: Asked) -> Shown:
    """Return what changed in the intent that the option `id` names, event by event, and what was done for it."""
    with asked.tables() as tables:
        found = about(asked.repository, tables, asked.option("id") or "")
        if found["kind"] != "intent":
            raise NoSuchPageError(f"{asked.option('id')} is a {found['kind']} and no intent")
        intent = found["intent_id"]
        # it takes the history of all definitions, for which no report waits
        definitions = (
            question(asked, tables, "intent_definitions", intent=intent)
            if not asked.whole or asked.is_at_hand(tables, "node_versions")
            else None
        )
        told = {
            "definitions": definitions,
            "files": question(asked, tables, "changes_by", by="file", intent=intent),
            "sessions": question(asked, tables, "changes_by", by="session", intent=intent),
            "cost": question(asked, tables, "cost_by", dim="model", intent=intent),
            "answers": question(asked, tables, "approval_answers", intent=intent),
        }
    history = [
        dict(zip(intent_history.COLUMNS, row, strict=True))
        for row in intent_history.history(asked.repository, intent, asked.until)
    ]
    return Shown(f"Intent {intent}", history, {"intent": found, **told})
