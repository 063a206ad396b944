"""Import the lines of an older ledger: each record as an event that keeps the exact line.

A line that is no record is kept as well, as what was rejected and why, so that the events of a file, in order, are the
file. Twice the same record, as a union merge leaves it, is one event. Who wrote a line of a file is not concluded from
a record: it numbers lines of a state that nobody has (see `said` in FORMAT.md).
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from linetrail.ledger.event.drafts import Draft
from linetrail.ledger.event.event import Event, batches, derived_id, rfc3339
from linetrail.ledger.files import digest
from linetrail.ledger.repository import Repository
from linetrail.projections.tables.progress import Advance, working
from linetrail.queries.importers.conversation import Found
from linetrail.queries.importers.older.dialects import Record, dialect, is_ours, read
from linetrail.queries.importers.older.json_text import scrub_json
from linetrail.queries.importers.older.pieces import Piece, lines, pieces
from linetrail.queries.importers.older.received import slices, weight
from linetrail.queries.importers.sink import Import, Report
from linetrail.queries.importers.transcript import Counts, unix_ns

SOURCE = "agent-trace"
# Of the 64 KB of a line: for what follows from what was received.
FACTS_BYTES = 18_000
CONTINUED = "record continued"
# What may stand around a record without making it another.
_AROUND = "\ufeff \t\r\n"
# So many lines are named one by one; of the others only the reasons are counted.
NAMED_LINES = 100


def import_ledgers(paths: Iterable[str], into: Import) -> Report:
    """Import these files, each line by line; `imported` and `duplicates` of the counts are records."""
    all_counts = [Counts(path) for path in paths]
    sizes = sum(os.path.getsize(counts.path) for counts in all_counts if os.path.exists(counts.path))
    with into.sink() as sink, working("importing", sizes) as advance:
        for counts in all_counts:
            try:
                for found in _File(counts, into.repository).events(advance):
                    sink.add(found)
            except OSError as error:
                counts.rejected[f"cannot be read: {error.strerror}"] += 1
    return Report(all_counts, sink.events)


class _File:
    """One older ledger as it is imported."""

    def __init__(self, counts: Counts, repository: Repository) -> None:
        self._counts, self._repository = counts, repository
        self._name = repository.relative(counts.path) or os.path.basename(counts.path)
        self._time = _first_time(counts.path)
        # how often each rejected text was met: it is kept each time, and an import the second time knows it again
        self._rejected: Counter[str] = Counter()

    def events(self, advance: Advance) -> Iterator[list[Found]]:
        """Yield what each record gives, in the order of the file."""
        for raw in lines(self._counts.path):
            self._counts.read += 1
            for piece in pieces(raw):
                if piece.fields is None:
                    yield self._reject(piece, piece.reason or "")
                elif is_ours(piece.fields):
                    self._count(piece, "an event of linetrail, not of an older ledger")
                elif (record := read(piece.fields, self._repository)) is None:
                    yield self._reject(piece, "neither of the specification nor of the seed dialect")
                else:
                    yield self._accept(piece, record)
            advance(raw.size)

    def _accept(self, piece: Piece, record: Record) -> list[Found]:
        self._time = record.time or self._time or 0
        clean = scrub_json(piece.text or "")
        return self._founds(piece, clean, record, digest(clean.strip(_AROUND).encode()), _fitting(record.drafts))

    def _reject(self, piece: Piece, reason: str) -> list[Found]:
        """Return the event that keeps what could not be read; none in a file without any readable record."""
        self._count(piece, reason)
        if piece.text is None or self._time is None:
            return []
        # No hash over a secret: it would tell whether a guess is right.
        clean = scrub_json(piece.text)
        content = clean.encode(piece.encoding or "utf-8")
        name = digest(content)
        self._rejected[name] += 1
        draft = Draft("payload.rejected", "unknown", {"reason": reason, "sha256": name, "size": len(content)})
        nobody = Record(piece.encoding or "", None, None, None, "unknown", None, None, [draft])
        return self._founds(piece, clean, nobody, f"{name} {self._rejected[name]}", [draft])

    def _count(self, piece: Piece, reason: str) -> None:
        named = len(self._counts.rejected) < NAMED_LINES
        self._counts.rejected[f"line {piece.line}: {reason}" if named else reason] += 1

    def _founds(self, piece: Piece, clean: str, record: Record, key: str, drafts: Sequence[Draft]) -> list[Found]:
        """Make the events of a record. The first carries what was received, unless that takes several."""
        parts = list(slices(clean))
        received: dict[str, Any] = {"file": self._name, "line": piece.line}
        if piece.unended:
            received["unended"] = True
        if clean != piece.text:
            received["redacted"] = True
        made = [*drafts, *[_CONTINUED] * (len(parts) - len(drafts))]
        ids = [derived_id(self._time or 0, SOURCE, key, str(at)) for at in range(len(made))]
        founds = []
        for at, (draft, event_id) in enumerate(zip(made, ids, strict=True)):
            data = dict(draft.data)
            if draft.type.startswith("tool."):
                data["tool_call_id"] = ids[0]
            if at < len(parts):
                place = received | ({"part": at + 1, "parts": len(parts)} if len(parts) > 1 else {})
                data |= {"dialect": record.dialect or None, "raw": parts[at], "received": place}
            event = Event(
                id=event_id,
                timestamp=rfc3339(self._time or 0),
                type=draft.type,
                session_id=record.session_id,
                agent=record.agent,
                contributor=draft.contributor,
                intent_id=record.intent_id,
                vcs=record.vcs,
                data=data,
            )
            is_counted = at == 0 and draft.type != "payload.rejected"
            founds.append(Found(self._counts if is_counted else Counts(self._counts.path), event))
        return founds


_CONTINUED = Draft("agent.signalled", "unknown", {"signal": CONTINUED, "detail": None})


def _first_time(path: str) -> int | None:
    """Return the time of the first record that has one: what is rejected before it happened no later."""
    for raw in lines(path):
        for piece in pieces(raw):
            if piece.fields and dialect(piece.fields) and (time := unix_ns(piece.fields.get("timestamp"))):
                return max(time, 0)
    return None


def _fitting(drafts: Sequence[Draft]) -> list[Draft]:
    """Spread the files of a change over as many events as they need."""
    made = []
    for draft in drafts:
        entries = [part for entry in draft.data.get("files", ()) for part in _parts(entry)]
        groups = list(batches(entries, weight, FACTS_BYTES))
        if len(groups) < 2:
            made.append(draft._replace(data=draft.data | {"files": entries}) if entries else draft)
        else:
            made += [draft._replace(data=draft.data | {"files": group}) for group in groups]
    return made


def _parts(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """Spread the ranges of a file over as many entries as they need."""
    groups = list(batches(entry["said"]["ranges"], weight, FACTS_BYTES // 2))
    if len(groups) < 2:
        return [entry]
    return [
        entry | {"said": entry["said"] | {"ranges": group}, "part": at, "parts": len(groups)}
        for at, group in enumerate(groups, 1)
    ]
