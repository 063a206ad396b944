"""Describe the versions of a definition in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from linetrail.projections.nodes.lineage import Lineage
from linetrail.projections.nodes.matches import CARRIED, EDITED, MOVED, RENAMED, SPLIT
from linetrail.projections.nodes.sides import Place
from linetrail.projections.nodes.versions import CREATED, FOUND, named
from linetrail.queries.answers.lineage import Row
from linetrail.queries.render.text import columns, counted, plain, short


def heading(place: Place, found: Lineage) -> str:
    """Return the name of a definition, its place, and its permanent id."""
    definition = place.definition
    where = f"{named(place)}  lines {definition.start_line}-{definition.end_line}"
    return plain(f"{where}, {counted(len(found.versions), 'version')}, node {found.node_id}")


def text(versions: Sequence[Row]) -> Iterator[str]:
    """Yield a line for each version: date, author, intent, what happened, and the place at that time."""
    cells = [[_when(row), _who(row), row["intent_id"] or "-", what(row), _where(row)] for row in versions]
    widths = [max(columns(cell) for cell in column) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(cell + " " * (width - columns(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()


def what(row: Mapping[str, Any]) -> str:
    """Return in words what happened to a definition."""
    return ", ".join(_said(kind, row) for kind in dict.fromkeys(row["change"])) or "unchanged"


def _said(kind: str, row: Mapping[str, Any]) -> str:
    path, _, name = (row["former"] or "").rpartition(":")
    outer = name.rpartition(".")[0]
    same_file = path == row["path"]
    said = {
        CREATED: f"created, {counted(row['lines_added'], 'line')}",
        FOUND: "there already where this shallow clone ends",
        EDITED: f"edited +{row['lines_added']} -{row['lines_deleted']}",
        RENAMED: f"renamed from {name.rpartition('.')[2]}",
        MOVED: f"moved from {name if same_file else path}",
        CARRIED: f"{outer} around it renamed" if same_file else f"file renamed from {path}",
        SPLIT: f"cut out of {name if same_file else row['former']}",
    }
    return plain(said.get(kind, kind))


def _when(row: Mapping[str, Any]) -> str:
    return (row["written_at"] or "")[:16].replace("T", " ") or "not committed"


def _who(row: Mapping[str, Any]) -> str:
    """Return the author as `blame` spells it: in parentheses when presumed from git."""
    if row["contributor_type"] == "ai":
        session = f" {short(row['session_id'])}" if row["session_id"] else ""
        return plain(f"{row['agent_name'] or 'agent'}{session}")
    if row["attributed_by"] in {"git", "none"}:
        known = row["contributor_type"] == "human"
        revision = f" {row['vcs_revision'][:8]}" if row["vcs_revision"] else ""
        return plain(f"({row['author']})" if known else "unknown") + revision
    return plain(row["author"] or "human")


def _where(row: Mapping[str, Any]) -> str:
    return plain(f"{row['path']}:{row['qualified_name']} {row['start_line']}-{row['end_line']}")
