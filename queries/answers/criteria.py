"""Say of each acceptance criterion whether its command passed, when that was, and whether work went on since."""

from collections.abc import Mapping, Sequence
from typing import Any

from linetrail.ledger.intents.criteria import checks
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.redact.redactor import Redactor
from linetrail.projections.tables.tables import Tables
from linetrail.queries.statements import statement

Progress = Mapping[str, Sequence[Mapping[str, Any]]]
# As long as an event tells of it.
_LONGEST = 400


def progress(tables: Tables, intents: Sequence[Intent]) -> Progress:
    """Return the criteria of these intents by their ids; `passed` is null where nothing was run for one."""
    wanted = [intent.id for intent in intents if intent.checks]
    told = tables.ask(statement("criteria_last"), {"ids": wanted}).mappings() if wanted else ()
    last = {(row["intent_id"], row["criterion"]): row for row in told}
    return {intent.id: [_one(intent, text, last) for text in intent.criteria] for intent in intents}


def unchecked(intent: Intent) -> list[dict[str, Any]]:
    """Return the criteria of an intent for which no command was ever to be run."""
    return [_one(intent, text, {}) for text in intent.criteria]


def counts(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many criteria there are, how many a command decides, and how many of these passed last."""
    return {
        "total": len(rows),
        "checked": sum(row["run"] is not None for row in rows),
        "passed": sum(row["passed"] is True for row in rows),
    }


def said(row: Mapping[str, Any]) -> str:
    """Return how far one criterion is, in a few words; nothing for one that is in words alone."""
    if row["run"] is None:
        return ""
    if row["passed"] is None:
        return "  (not run yet)"
    since = ", files changed since" if row["changed_since"] else ""
    return f"  ({'passed' if row['passed'] else 'failed'} {row['checked_at']:%Y-%m-%d %H:%M}{since})"


def _one(intent: Intent, text: str, last: Mapping[tuple[str, str], Mapping[str, Any]]) -> dict[str, Any]:
    run = next((check.run for check in checks(intent) if check.criterion == text), None)
    found = last.get((intent.id, Redactor(None).cut(text, _LONGEST)), {}) if run else {}
    names = ("passed", "checked_at", "exit_code", "excerpt", "changed_since")
    return {"criterion": text, "run": run, **{name: found.get(name) for name in names}}
