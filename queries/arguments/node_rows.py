"""Versions of a definition: as rows, for programs, and in words, for people."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from linetrail.ledger.event.event import rfc3339
from linetrail.projections.nodes.commits import Commit
from linetrail.projections.nodes.lineage import Lineage
from linetrail.projections.nodes.matches import CARRIED, EDITED, MOVED, RENAMED, SPLIT
from linetrail.projections.nodes.sides import Place
from linetrail.projections.nodes.versions import CREATED, FOUND, Version, named
from linetrail.queries.render.text import columns, counted, plain, short

# Tells whether a commit shows signs of an agent that nobody recorded.
ShowsAgent = Callable[[str], bool]
Row = dict[str, Any]


def rows(found: Lineage, shows_agent: ShowsAgent, classes: Mapping[str, str]) -> list[Row]:
    """Return one row for each version, the last one first; what is not known is None.

    `classes` are what recorded changes were judged to be, by event.
    """
    return [
        {"node_id": found.node_id}
        | _definition(version)
        | _change(version)
        | _author(version, shows_agent)
        | {"mutation_class": version.claim and classes.get(version.claim.event_id or "")}
        for version in found.versions
    ]


def heading(place: Place, found: Lineage) -> str:
    """Say which definition is meant, where it is, and what it is called for good."""
    definition = place.definition
    where = f"{named(place)}  lines {definition.start_line}-{definition.end_line}"
    return plain(f"{where}, {counted(len(found.versions), 'version')}, node {found.node_id}")


def text(versions: Sequence[Row]) -> Iterator[str]:
    """Yield a line for each version: when, by whom, for which intent, what happened, and where it was then."""
    cells = [[_when(row), _who(row), row["intent_id"] or "-", what(row), _where(row)] for row in versions]
    widths = [max(columns(cell) for cell in column) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(cell + " " * (width - columns(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()


def what(row: Mapping[str, Any]) -> str:
    """Say in words what happened to a definition."""
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


def _definition(version: Version) -> Row:
    return {
        "path": version.path,
        "qualified_name": version.qualified,
        "kind": version.kind,
        "start_line": version.start_line,
        "end_line": version.end_line,
        "raw_hash": version.raw,
        "tokens_hash": version.tokens,
        "state_hash": version.state,
    }


def _change(version: Version) -> Row:
    return {
        "change": list(version.kinds),
        "former": version.former,
        "lines_added": version.lines_added,
        "lines_deleted": version.lines_deleted,
        "evidence": list(version.evidence),
    }


def _author(version: Version, shows_agent: ShowsAgent) -> Row:
    claim, commit = version.claim, version.commit
    row: Row = {
        "contributor_type": claim.contributor_type if claim else _presumed(commit, shows_agent),
        "attributed_by": ("transcript" if claim.via == "import" else "observed")
        if claim
        else "git"
        if commit
        else "none",
    }
    for name in ("agent_name", "model_id", "session_id", "intent_id", "event_id", "tool_call_id"):
        row[name] = getattr(claim, name) if claim else None
    moment = claim.occurred_at if claim else rfc3339(commit.author_time * 1_000_000_000) if commit else None
    told = {
        "vcs_revision": commit and commit.revision,
        "author": commit and commit.author,
        "subject": commit and commit.subject,
    }
    return row | {"written_at": moment} | told


def _presumed(commit: Commit | None, shows_agent: ShowsAgent) -> str:
    return "unknown" if commit is None or shows_agent(commit.revision) else "human"


def _when(row: Mapping[str, Any]) -> str:
    return (row["written_at"] or "")[:16].replace("T", " ") or "not committed"


def _who(row: Mapping[str, Any]) -> str:
    """Name the author as `blame` does: one that is presumed from git stands in parentheses."""
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
