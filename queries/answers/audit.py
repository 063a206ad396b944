"""Run an audit in one call, and return what it found as rows."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from linetrail.ledger.repository import Repository
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.projections.tables.verification import Report, examine
from linetrail.queries.audit import policy_file, rulebook
from linetrail.queries.audit.audit import Asking, Audit, audit
from linetrail.queries.audit.finding import Finding
from linetrail.queries.audit.rulebook import MEDIUM, Rule
from linetrail.queries.render.text import counted, table_of

# column -> what of a finding it has
COLUMNS = {
    "rule": "rule.id",
    "name": "rule.name",
    **{name: name for name in ("level", "message", "path", "line", "end_line", "present")},
    "count": "times",
    **{name: name for name in ("session_id", "intent_id", "agent_name", "event_id")},
    "first_at": "occurred_at",
    "last_at": "last_at",
    "controls": "rule.controls",
    "next": "remedy",
    "fingerprint": "fingerprint",
}
# What ends the run with status 1 where nobody says otherwise; low is advice, info is worth knowing.
FAIL_ON = MEDIUM


class Audited(NamedTuple):
    """What the rules found, whether the ledger is sound, and the level from which findings make a run fail."""

    audit: Audit
    report: Report
    fail_on: str


def audited(repository: Repository, names: Sequence[str] = (), *, since: datetime | None = None) -> Audited:
    """Run the named rules, or all of them, under the policy of the repository."""
    with open_tables(repository) as tables:
        return audited_in(tables, repository, names, since=since)


def audited_in(
    tables: Tables, repository: Repository, names: Sequence[str] = (), *, since: datetime | None = None
) -> Audited:
    """Run the named rules, or all of them, under the policy of the repository, over tables that are open."""
    held, place = policy_file.load(repository, None)
    asking = Asking(chosen(names), held, place or "", policy_file.today(), since)
    report = examine(repository)
    return Audited(audit(repository, tables, asking, report.problems), report, (held and held.fail_on) or FAIL_ON)


def chosen(names: Sequence[str]) -> list[Rule]:
    """Return the rules with these names in the order of their ids; without names, return all rules."""
    if not names:
        return list(rulebook.rules().values())
    return sorted({rulebook.find(name) for name in names}, key=lambda rule: rule.id)


def verified(report: Report, head: str) -> str:
    """Return a few words that say up to which event the ledger is sound."""
    if report.problems:
        return f"ledger damaged: {counted(len(report.problems), 'problem')}"
    return f"ledger verified to {head[:12]}" if report.events else "ledger empty"


def rows(found: Sequence[Finding]) -> Table:
    """Return findings as the rows of `--json`."""
    return table_of(COLUMNS, found)


def meta(repository: Repository, found: Audit, report: Report, fail_on: str) -> dict[str, Any]:
    return {
        "root": repository.root,
        "ledger_head": found.head,
        "sound": not report.problems,
        "rules": [rule.id for rule in found.rules],
        "fail_on": fail_on,
        "failing": len(found.failing(fail_on)),
        "levels": found.counts(),
        "known": found.known,
        "gone": found.gone,
        "excepted": found.excepted,
        **found.figures,
    }
