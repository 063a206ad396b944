"""List the decisions of a repository, find one with the current place of its lines, or those that govern a line."""

from collections.abc import Mapping, Sequence
from typing import Any

from linetrail.ledger.errors import UsageError
from linetrail.ledger.observe.substance import split
from linetrail.ledger.repository import Repository
from linetrail.projections.git import target as targets
from linetrail.projections.lines import decision_lines
from linetrail.projections.lines.decision_lines import Governed
from linetrail.projections.lines.states import ranges
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables
from linetrail.queries.record.decisions import resolve
from linetrail.queries.render.text import plain

COLUMNS = (
    *("decision_id", "title", "rationale", "status", "recorded_status", "supersedes_id", "superseded_by_id"),
    *("alternatives", "lines", "intent_id", "session_id", "contributor_type", "occurred_at", "event_id"),
)

Record = Mapping[str, Any]


def decisions(
    tables: Tables, *, status: str | None = None, intent_id: str | None = None, path: str | None = None
) -> list[Record]:
    """Return the decisions of this status, for this intent and about this file, newest first."""
    return [
        one
        for one in reversed(decision_lines.decisions(tables))
        if status in (None, one["status"])
        and intent_id in (None, one["intent_id"])
        and (path is None or any(place.path == path for place in decision_lines.places(one)))
    ]


def decision(repository: Repository, tables: Tables, text: str) -> Record:
    """Return the one decision whose id starts with a text; `now` has the current places of its lines."""
    found = resolve(decision_lines.decisions(tables), text)
    return {**found, "now": _now(repository, tables, found)}


def governing(repository: Repository, tables: Tables, path: str, line_no: int | None = None) -> list[Governed]:
    """Return the decisions about a file of the work tree, or about one of its lines."""
    target = targets.find_target(repository, path, None)
    length = len(split(target.content).lines)
    if line_no is not None and not 1 <= line_no <= length:
        raise UsageError(f"no line {line_no} in {plain(target.path)}, which ends at line {length}")
    found = decision_lines.governed(tables, target.path, target.content)
    return [one for one in found if line_no is None or line_no in one.lines]


def table(chosen: Sequence[Record]) -> Table:
    """Return a row of COLUMNS for each decision."""
    return Table(COLUMNS, [tuple(one[name] for name in COLUMNS) for one in chosen])


def _now(repository: Repository, tables: Tables, decision: Record) -> list[dict[str, str]]:
    """Return where the lines of a decision are now, in those of its files that still exist."""
    found: list[dict[str, str]] = []
    for path in dict.fromkeys(place.path for place in decision_lines.places(decision)):
        content = targets.on_disk(repository, path)
        governed = decision_lines.governed(tables, path, content) if content is not None else []
        found += [
            {"path": path, "lines": ranges(one.lines)}
            for one in governed
            if one.decision["decision_id"] == decision["decision_id"]
        ]
    return found
