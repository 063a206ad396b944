"""Count what happened in a range of the ledger: by intent, and in total."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.errors import LinetrailError
from linetrail.projections.tables.tables import Tables
from linetrail.queries.audit.audit import Audit, Brought
from linetrail.queries.audit.finding import Finding
from linetrail.queries.statements import statement

# Files that are blamed for the coverage: a summary is to be quick.
MAX_FILES = 200

_COVERAGE = "select sum(lines_total) as total, sum(lines_known) as known from v_coverage"
_ALL = "select coalesce(max(position), 0) from v_events"


class Figures(NamedTuple):
    """The figures of a summary; coverage and cost are None where they are not known."""

    intents: Sequence[Mapping[str, Any]]
    sessions: int
    events: int
    cost_microusd: int | None
    decisions: Sequence[Mapping[str, Any]]
    coverage: float | None
    findings: Mapping[str | None, Counter[str]]


def figures(tables: Tables, came: Brought | None, found: Audit) -> Figures:
    """Count what the range added, or the whole ledger without one."""
    stretches = came.stretches if came is not None else [(1, tables.ask(_ALL).rows[0][0])]
    given = {"first": [first for first, _ in stretches] or [1], "last": [last for _, last in stretches] or [0]}
    whole = next(tables.ask(statement("ci_totals"), given).mappings())
    return Figures(
        intents=list(tables.ask(statement("ci_intents"), given).mappings()),
        sessions=whole["sessions"],
        events=whole["events"],
        cost_microusd=whole["cost_microusd"],
        decisions=list(tables.ask(statement("ci_decisions"), given).mappings()),
        coverage=_coverage(tables, [path for (path,) in tables.ask(statement("ci_paths"), given).rows]),
        findings=_by_intent(found.findings),
    )


def _coverage(tables: Tables, paths: Sequence[str]) -> float | None:
    """Return the share of lines with a known author, in the files that changed and are still there."""
    wanted = [path for path in paths if not path.startswith('"')][:MAX_FILES]
    if not wanted:
        return None
    tables.look_at(*wanted)
    try:
        total, known = tables.ask(_COVERAGE).rows[0]
    except LinetrailError:
        return None
    finally:
        tables.look_at()
    return known / total if total else None


def _by_intent(findings: Sequence[Finding]) -> Mapping[str | None, Counter[str]]:
    counted: dict[str | None, Counter[str]] = {}
    for one in findings:
        counted.setdefault(one.intent_id, Counter())[one.level] += 1
    return counted
