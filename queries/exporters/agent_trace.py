"""Write records of the Agent Trace specification: for each commit and agent the lines that it wrote.

The numbers of lines are those of the commit that `vcs` names, so that a reader who asks git for the commit behind a
line finds it. A record that was imported leaves as it came.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from linetrail.ledger.errors import UsageError
from linetrail.ledger.event.event import derived_id, rfc3339
from linetrail.ledger.files import digest
from linetrail.projections.lines.attribution import Attribution
from linetrail.projections.survival.agent_lines import Authored, Stretch, authored
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.exporters import imported_records, seed_records
from linetrail.queries.exporters.formats import FLAT, SEED, Asked
from linetrail.queries.exporters.history import commits
from linetrail.queries.exporters.output import write_lines
from linetrail.queries.importers.older.dialects import INTENT_URN, SESSION_URN

FORMAT = "agent-trace"
VERSION = "0.1.0"
# The specification asks for a reverse domain of whoever adds fields.
VENDOR = "dev.linetrail"
_MAX_MODEL = 250


class _Group(NamedTuple):
    """What one record is about."""

    agent: str | None
    intent: str | None


def export(asked: Asked) -> None:
    """Write a record a line: what was imported as it came, unless only some commits are asked for, then our own."""
    if asked.dialect in (SEED, FLAT):
        if asked.range is not None:
            raise UsageError(f"--range is about commits; records of --dialect {asked.dialect} are about events")
        seed_records.export(asked)
        return
    wanted = commits(asked.repository, asked.range)
    with open_tables(asked.repository) as tables:
        write_lines(asked, (f"{line}\n".encode() for line in _lines(asked, tables, wanted)), "record")


def _lines(asked: Asked, tables: Tables, wanted: Sequence[str]) -> Iterator[str]:
    if asked.range is None:
        yield from imported_records.records(tables)
    for found in authored(asked.repository, tables, wanted):
        for record in records(found):
            yield json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def records(found: Authored) -> Iterator[dict[str, Any]]:
    """Yield the records of a commit: one for each agent and intent."""
    groups = dict.fromkeys(_group(stretch.by) for stretches in found.files.values() for stretch in stretches)
    for group in groups:
        files = {
            path: own
            for path, stretches in found.files.items()
            if (own := [stretch for stretch in stretches if _group(stretch.by) == group])
        }
        yield _record(found, group, files)


def _group(by: Attribution) -> _Group:
    return _Group(by.agent_name, by.intent_id)


def _record(found: Authored, group: _Group, files: dict[str, list[Stretch]]) -> dict[str, Any]:
    told = [stretch.by for stretches in files.values() for stretch in stretches]
    time = found.time * 1_000_000_000
    record: dict[str, Any] = {
        "version": VERSION,
        "id": derived_id(time, FORMAT, found.commit, group.agent or "", group.intent or ""),
        "timestamp": max((by.written_at for by in told if by.written_at), default=rfc3339(time)),
        "vcs": {"type": "git", "revision": found.commit},
    }
    if group.agent is not None:
        record["tool"] = {"name": group.agent}
    record["files"] = [
        {"path": path, "conversations": list(_conversations(stretches))} for path, stretches in files.items()
    ]
    record["metadata"] = {
        VENDOR: {
            "events": sorted({by.event_id for by in told if by.event_id}),
            "evidence": sorted({by.evidence for by in told}),
        }
    }
    return record


def _conversations(stretches: Sequence[Stretch]) -> Iterator[dict[str, Any]]:
    """Yield each session with each of its models, in the order in which they appear in the file."""
    for session, model in dict.fromkeys((stretch.by.session_id, stretch.by.model_id) for stretch in stretches):
        own = [one for one in stretches if (one.by.session_id, one.by.model_id) == (session, model)]
        conversation: dict[str, Any] = {}
        if session is not None:
            conversation["url"] = SESSION_URN + quote(session, safe="")
        conversation["contributor"] = _contributor("ai", model)
        conversation["ranges"] = [_range(one, model) for one in own]
        intents = dict.fromkeys(one.by.intent_id for one in own if one.by.intent_id)
        if intents:
            conversation["related"] = [{"type": "intent", "url": INTENT_URN + quote(one, safe="")} for one in intents]
        yield conversation


def _range(stretch: Stretch, model: str | None) -> dict[str, Any]:
    told: dict[str, Any] = {
        "start_line": stretch.first,
        "end_line": stretch.last,
        "content_hash": content_hash(stretch.lines),
    }
    if stretch.by.mixed:
        told["contributor"] = _contributor("mixed", model)
    return told


def content_hash(lines: Iterable[bytes]) -> str:
    """Name lines by their hash, each ended by a newline."""
    return digest(b"".join(line + b"\n" for line in lines))


def _contributor(kind: str, model: str | None) -> dict[str, str]:
    return {"type": kind} | ({"model_id": model[:_MAX_MODEL]} if model else {})
