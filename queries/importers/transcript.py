"""Read one transcript of Claude Code: lines of JSON that another program writes, cuts short and may have damaged.

Between two records no file is open and little is held, so that thousands of transcripts are read side by side.
A line that cannot be read is counted with the reason and skipped; a record of an unknown type is no error.
"""

import codecs
import json
from collections import Counter, deque
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, BinaryIO, NamedTuple

import msgspec

MAX_LINE_BYTES = 16 * 1024 * 1024
# A record from a longer line is not held while it waits for its turn: it is read again.
HELD_BYTES = 64 * 1024
_CHUNK = 256 * 1024
# Of a line beyond a megabyte: more values than this would take many times the line's own size in memory.
_LONG = 1024 * 1024
_MAX_CONTAINERS, _MAX_VALUES = 500_000, 2_000_000
_MAX_REASONS, _MAX_REASON = 50, 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class _Stamped(msgspec.Struct):
    """A record as far as its time is concerned; the rest is not decoded."""

    timestamp: Any = None


_decode = msgspec.json.Decoder().decode
_decode_stamp = msgspec.json.Decoder(_Stamped).decode


class Counts:
    """What came of one transcript. `read` and the counts of `rejected` are lines, the others events."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.read = 0
        self.bytes = 0
        self.imported = 0
        # what is known already, and what of it was not in the ledger but is told twice by what was read
        self.duplicates = 0
        self.repeated = 0
        # reason -> lines that could not be used
        self.rejected: Counter[str] = Counter()
        # reason -> records that were read and say nothing that belongs into the ledger
        self.skipped: Counter[str] = Counter()

    def skip(self, reason: str) -> None:
        """Count a record that says nothing for the ledger; of reasons made of its content only so much is told."""
        reason = reason[:_MAX_REASON]
        self.skipped[reason if reason in self.skipped or len(self.skipped) < _MAX_REASONS else "other"] += 1

    def know(self, events: int, *, repeated: bool) -> None:
        """Count events that are no news: `repeated` where this import told them first, else the ledger had them."""
        self.duplicates += events
        self.repeated += events if repeated else 0

    def add(self, other: "Counts") -> None:
        self.read += other.read
        self.bytes += other.bytes
        self.imported += other.imported
        self.duplicates += other.duplicates
        self.repeated += other.repeated
        self.rejected.update(other.rejected)
        self.skipped.update(other.skipped)


class Pending(NamedTuple):
    """A record that waits for its turn: `time` in nanoseconds, that of the record before where it has none itself."""

    time: int
    path: str
    offset: int
    size: int
    fields: dict[str, Any] | None

    def load(self) -> dict[str, Any]:
        """Return the record, from its file when it was too long to be held; nothing when the file has gone since."""
        if self.fields is not None:
            return self.fields
        try:
            with open(self.path, "rb") as file:
                file.seek(self.offset)
                return parsed(file.read(self.size), Counts(self.path)) or {}
        except OSError:
            return {}


def records(path: str, counts: Counts, start: int = 0) -> Iterator[Pending]:
    """Yield the records of a transcript in the order of the file; those before the first time have `start`."""
    time = start
    for offset, raw in _lines(path, counts):
        fields = parsed(raw, counts)
        if fields is None:
            continue
        time = unix_ns(fields.get("timestamp")) or time
        size = len(raw)
        pending = Pending(time, path, offset, size, fields if size <= HELD_BYTES else None)
        # While this waits for its turn nothing but `pending` may keep the line or the record in memory.
        del raw, fields
        yield pending


def unix_ns(text: Any) -> int | None:
    """Read an RFC 3339 time; None when it is none.

    >>> unix_ns("2026-01-05T09:00:00.250Z")
    1767603600250000000
    """
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH
    return (since.days * 86_400_000_000 + since.seconds * 1_000_000 + since.microseconds) * 1_000


def time_of(raw: bytes) -> int | None:
    """Return the time of the record on a line; None where it has none, or is none."""
    if len(raw) > MAX_LINE_BYTES:
        return None
    try:
        return unix_ns(_decode_stamp(raw).timestamp)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return unix_ns((parsed(raw, Counts("")) or {}).get("timestamp"))


def parsed(raw: bytes, counts: Counts) -> dict[str, Any] | None:
    """Return the record on a line, or count why there is none."""
    if raw.isspace():
        return None
    if len(raw) > _LONG and _too_many_values(raw):
        counts.rejected["too many values"] += 1
        return None
    try:
        fields = _decode(raw)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return _forgiven(raw, counts)
    if isinstance(fields, dict):
        return fields
    counts.rejected["not an object"] += 1
    return None


def _forgiven(raw: bytes, counts: Counts) -> dict[str, Any] | None:
    """Read what the strict reader refuses as Python does: a mark at its begin, NaN, half of a surrogate pair."""
    try:
        fields = json.loads(raw.removeprefix(codecs.BOM_UTF8).decode())
    except UnicodeDecodeError:
        reason = "invalid UTF-8"
    except (ValueError, RecursionError):
        reason = "not JSON" if raw.endswith(b"\n") else "cut short"
    else:
        if isinstance(fields, dict):
            return _unicode(fields) if b"\\ud" in raw else fields
        reason = "not an object"
    counts.rejected[reason] += 1
    return None


def _unicode(fields: dict[str, Any]) -> dict[str, Any]:
    """Put a question mark for each half of a surrogate pair that stands alone: it is no text and cannot be stored."""
    whole: dict[str, Any] = json.loads(json.dumps(fields, ensure_ascii=False).encode(errors="replace"))
    return whole


def _too_many_values(raw: bytes) -> bool:
    return raw.count(b"{") + raw.count(b"[") > _MAX_CONTAINERS or raw.count(b",") > _MAX_VALUES


def _lines(path: str, counts: Counts) -> Iterator[tuple[int, bytes]]:
    """Yield the lines with their offsets; the file is open only while a chunk of it is read."""
    batch: deque[tuple[int, bytes]] = deque()
    more = True
    while more:
        try:
            with open(path, "rb") as file:
                file.seek(counts.bytes)
                more = _fill(batch, file, counts)
        except OSError as error:
            counts.rejected[f"cannot be read: {error.strerror}"] += 1
            more = False
        while batch:
            yield batch.popleft()


def _fill(batch: deque[tuple[int, bytes]], file: BinaryIO, counts: Counts) -> bool:
    """Read a chunk of whole lines; a long one comes alone, one that is too long is never held. False at the end."""
    end = counts.bytes + _CHUNK
    while counts.bytes < end:
        raw = file.readline(MAX_LINE_BYTES + 1)
        if not raw:
            return False
        if len(raw) > HELD_BYTES and batch:
            return True
        counts.read += 1
        if len(raw) > MAX_LINE_BYTES:
            counts.rejected["line too long"] += 1
            counts.bytes += len(raw) + skipped(file, raw)
            return True
        batch.append((counts.bytes, raw))
        counts.bytes += len(raw)
        if len(raw) > HELD_BYTES:
            return True
    return True


def skipped(file: BinaryIO, raw: bytes) -> int:
    """Read to the end of a line and return how many bytes that was."""
    size = 0
    while not raw.endswith(b"\n") and (raw := file.readline(_LONG)):
        size += len(raw)
    return size
