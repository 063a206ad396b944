"""Write records of the dialects of intent-driven extensions: what each event changed, for which intent and how.

`seed` has a record for each event, `flat` one for each file of it. Both are told from events, so that they know of what
was never committed; the numbers of lines are those right behind the change.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from linetrail.ledger.event.event import derived_id
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.exporters import imported_records
from linetrail.queries.exporters.formats import FLAT, Asked
from linetrail.queries.exporters.output import write_lines
from linetrail.queries.importers.older.dialects import SEED
from linetrail.queries.importers.transcript import unix_ns
from linetrail.queries.statements import statement

_OPERATIONS = {"add": "create", "copy": "create", "delete": "delete"}
_KINDS = {"ai": "AI", "human": "HUMAN"}

Row = Mapping[str, Any]


def export(asked: Asked) -> None:
    """Write a record a line: what was imported in this dialect as it came, then our own."""
    with open_tables(asked.repository) as tables:
        write_lines(asked, (f"{line}\n".encode() for line in _lines(tables, asked.dialect)), "record")


def _lines(tables: Tables, dialect: str | None) -> Iterator[str]:
    yield from imported_records.records(tables, [SEED])
    rows = tables.ask(statement("seed_mutations")).mappings()
    for _, group in groupby(rows, key=lambda row: row["event_id"]):
        files = list(group)
        for record in map(flat, files) if dialect == FLAT else [nested(files)]:
            yield json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def nested(files: Sequence[Row]) -> dict[str, Any]:
    event = files[0]
    return {
        "id": event["event_id"],
        "timestamp": event["timestamp"],
        "vcs": {"revision_id": event["vcs_revision"], "branch": event["branch"], "dirty": event["dirty"]},
        "intent_id": event["intent_id"],
        "mutation_class": event["mutation_class"],
        "files": [
            {
                "relative_path": file["path"],
                "operation": _OPERATIONS.get(file["op"], "modify"),
                "before_hash": file["before_hash"],
                "after_hash": file["after_hash"],
                "line_ranges": [*_ranges(file["hunks"])],
            }
            for file in files
        ],
        "conversation": {
            "session_id": event["session_id"],
            "model": event["model_id"],
            "contributor_type": _KINDS.get(event["contributor_type"]),
        },
        "metadata": {"tool_used": event["tool_name"], "execution_time_ms": event["duration_ms"]},
    }


def flat(file: Row) -> dict[str, Any]:
    links = [{"type": "specification", "value": file["intent_id"]}] if file["intent_id"] else []
    return {
        "id": derived_id(unix_ns(file["timestamp"]) or 0, FLAT, file["event_id"], file["path"]),
        "timestamp": file["timestamp"],
        "intent_id": file["intent_id"],
        "operation": "DELETE" if file["op"] == "delete" else "WRITE",
        "file_path": file["path"],
        "content_hash": file["after_hash"],
        "classification": file["mutation_class"],
        "related": links,
        "vcs": {"revision_id": file["vcs_revision"]},
    }


def _ranges(hunks: str | None) -> Iterator[dict[str, Any]]:
    """Yield the lines that a change left, each block with its hash; what it took away has none."""
    for hunk in json.loads(hunks or "[]"):
        if hunk["new_lines"]:
            last = hunk["new_start"] + hunk["new_lines"] - 1
            told = {"start_line": hunk["new_start"], "end_line": last, "content_hash": hunk.get("content_hash")}
            yield told
