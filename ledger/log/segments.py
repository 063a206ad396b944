"""Sealed stretches of the ledger: files that never change, named by what is in them.

A segment is a header line, then lines of a tail as they were. Its name is the SHA-256 of all of it, and the header
names its parents: every segment that was a head, so named by no other, when it was sealed. So segments form a graph
like commits do; branches bring new files and never a conflict, and the next segment joins them again.

The order of everything is a function of the names and parents alone: parents first, ties by name. No clock is asked.
"""

import contextlib
import io
import json
import os
import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from linetrail.ledger.errors import EventError, FutureLedgerError, FutureSegmentError, IntegrityError, StorageError
from linetrail.ledger.event.event import (
    GENESIS,
    MAX_LINE_BYTES,
    Event,
    derived_id,
    from_line,
    id_time_ns,
    line_digest,
    to_line,
)
from linetrail.ledger.files import SETTLED_NS, NotAFileError, Stamp, is_settled, open_file, publish, sha256, stamp
from linetrail.ledger.log import chain
from linetrail.ledger.log.chain import Head, Line
from linetrail.ledger.redact.secrets import RULES_VERSION

SEGMENTS = "segments"
HEADER = "ledger.sealed"
# More is never written: what is larger is no segment of ours, and is not read into memory.
MAX_SEGMENT_BYTES = 16 * 1024 * 1024
# A header is one line; heads beyond these are joined by the next segment.
MAX_PARENTS = 500
# What nobody can say of a segment that cannot be read: its ids are looked for in any case.
_LATER_THAN_ALL = "~"
_FILE = re.compile(r"([0-9a-f]{64})\.jsonl")
_NAME = re.compile(r"[0-9a-f]{64}")


class Segment(NamedTuple):
    """What the header of a segment says: its place in the graph, and which lines of which chain it holds.

    `first` and `last` are numbers in the chain of the tail it was sealed from, `follows` and `digest` the hashes of the
    line before the first and of the last. With `first` above 1 the chain goes on from a parent.
    """

    name: str
    parents: tuple[str, ...]
    first: int
    last: int
    follows: str
    digest: str
    oldest_id: str
    newest_id: str

    @property
    def events(self) -> int:
        """How many events it holds; the header is none of them."""
        return self.last - self.first + 1


def path(folder: str, name: str) -> str:
    """Return where a segment is kept below the folder of a ledger."""
    return os.path.join(folder, SEGMENTS, f"{name}.jsonl")


def name_of(file: str) -> str | None:
    """Return the name of the segment that a file would hold by its own name; None where it is no segment."""
    match = _FILE.fullmatch(os.path.basename(file))
    return match and match[1]


def names(folder: str) -> list[str]:
    """Return the names of the segments that are here, sorted."""
    try:
        entries = os.listdir(os.path.join(folder, SEGMENTS))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StorageError(f"cannot list {error.filename}: {error.strerror}") from None
    return sorted(match[1] for match in map(_FILE.fullmatch, entries) if match)


def missing(folder: str, name: str, child: Segment) -> IntegrityError:
    """Say that a segment is gone which another names as its parent."""
    message = f"is not here, and {child.name[:16]} names it as its parent"
    return IntegrityError(path(folder, name), 0, "SEGMENT_MISSING", message)


def altered(file: str, content: bytes, digest: str) -> IntegrityError:
    """Say that what is in a segment's file has another hash than its name."""
    told = "; the line ends were changed" if b"\r\n" in content else ""
    message = f"the content is not what it was: its hash is {digest[:16]}, not its name{told}"
    return IntegrityError(file, 0, "WRONG_NAME", message)


def compose(lines: Sequence[Line], parents: Sequence[str]) -> tuple[Segment, bytes]:
    """Return the segment that holds these lines, and its content: the same for the same lines and parents."""
    last = lines[-1].event
    ids = [line.event.id for line in lines]
    digest = line_digest(lines[-1].raw)
    data = {
        "parents": sorted(parents),
        "first": lines[0].event.seq,
        "last": last.seq,
        "follows": lines[0].event.prev,
        "digest": digest,
        "bytes": sum(len(line.raw) for line in lines),
        "oldest_id": min(ids),
        "newest_id": max(ids),
        "redaction": RULES_VERSION,
    }
    header_id = derived_id(id_time_ns(max(ids)), HEADER, digest, *parents)
    header = Event(header_id, last.timestamp, HEADER, None, None, "unknown", None, None, data)
    content = b"".join([to_line(header, 0, GENESIS), *(line.raw for line in lines)])
    return _segment(sha256(content).hexdigest(), data), content


def keep(folder: str, segment: Segment, content: bytes) -> None:
    """Put a segment on the disk for good: whole under its name, or not there."""
    publish(path(folder, segment.name), content, durable=True, aside=os.path.join(folder, "state"))


def read_headers(folder: str, *, whole: bool = False) -> tuple[dict[str, Segment], list[IntegrityError]]:
    """Return the segments that are here by name, and what is wrong with the headers of others, or with the `whole`.

    What was read is remembered in the cache for as long as the file looks untouched.
    """
    known = _remembered(folder)
    found: dict[str, _Looked] = {}
    damage = []
    for name in names(folder):
        now_ns, at = time.time_ns(), _stamp(path(folder, name))
        looked = known.get(name)
        if looked is None or looked.stamp != at:
            looked = None
        if looked is None or (whole and not looked.whole):
            try:
                segment = read_header(folder, name)
                if whole:
                    content(folder, segment)
            except IntegrityError as error:
                damage.append(error)
                continue
            looked = _Looked(segment, at, whole and at is not None and is_settled(at, now_ns))
        found[name] = looked
    if found != known:
        _remember(folder, found.values())
    return {name: looked.segment for name, looked in found.items()}, damage


def read_header(folder: str, name: str) -> Segment:
    """Read what a segment says about itself; whether its content has this name is not looked at."""
    file = path(folder, name)
    try:
        with open_file(file) as opened:
            line = opened.readline(MAX_LINE_BYTES + 1)
    except OSError as error:
        raise IntegrityError(file, 0, "UNREADABLE_SEGMENT", f"cannot be read: {error.strerror}") from None
    return parse_header(line, name, file)


def parse_header(line: bytes, name: str, file: str) -> Segment:
    try:
        return _segment(name, _header(line))
    except FutureLedgerError as error:
        raise FutureSegmentError(file, 0, "FUTURE_SEGMENT", f"written by a newer linetrail: {error}") from None
    except EventError as error:
        raise IntegrityError(file, 0, "UNREADABLE_SEGMENT", str(error)) from None


def content(folder: str, segment: Segment) -> tuple[bytes, Head]:
    """Return what is in a segment's file and where its lines begin, after making sure that its name is its hash."""
    file = path(folder, segment.name)
    read = whole(file)
    found = sha256(read).hexdigest()
    if found != segment.name:
        raise altered(file, read, found)
    return read, Head(read.index(b"\n") + 1, segment.first - 1, segment.follows)


def lines(folder: str, segment: Segment) -> Iterator[Line]:
    """Yield the lines of a segment; raise at the first that does not follow, or where they are not those it names."""
    read, start = content(folder, segment)
    file = path(folder, segment.name)
    line = None
    for line in chain.read(io.BytesIO(read), file, start):
        yield line
    end = line.end if line else start
    if end != Head(len(read), segment.last, segment.digest):
        message = f"the header promises lines up to seq {segment.last}, they end with seq {end.seq}"
        raise IntegrityError(file, end.size, "LINES_MISSING", message)


def whole(file: str) -> bytes:
    """Read a segment's file, unless it is none of ours by its size alone."""
    try:
        with open_file(file) as opened:
            content = opened.read(MAX_SEGMENT_BYTES + 1)
    except OSError as error:
        raise IntegrityError(file, 0, "UNREADABLE_SEGMENT", f"cannot be read: {error.strerror}") from None
    if len(content) > MAX_SEGMENT_BYTES:
        raise IntegrityError(file, 0, "UNREADABLE_SEGMENT", f"longer than {MAX_SEGMENT_BYTES} bytes")
    return content


def ordered(segments: Mapping[str, Segment]) -> list[Segment]:
    """Return the segments in their order: parents first, ties by name. A parent that is not here holds nobody up."""
    waits = {name: {parent for parent in segments[name].parents if parent in segments} for name in segments}
    children: dict[str, list[str]] = {}
    for name, parents in waits.items():
        for parent in parents:
            children.setdefault(parent, []).append(name)
    free = [name for name, parents in waits.items() if not parents]
    heapify(free)
    order = []
    while free:
        name = heappop(free)
        order.append(segments[name])
        for child in children.get(name, ()):
            waits[child].discard(name)
            if not waits[child]:
                heappush(free, child)
    return order


def heads(segments: Mapping[str, Segment]) -> list[str]:
    """Return the segments that no other names as its parent, sorted."""
    named = {parent for segment in segments.values() for parent in segment.parents}
    return sorted(segments.keys() - named)


def absent(segments: Mapping[str, Segment]) -> dict[str, Segment]:
    """Return the parents that are not here, each with one of the segments that name it."""
    return {parent: segment for segment in segments.values() for parent in segment.parents if parent not in segments}


def unfounded(folder: str, segments: Mapping[str, Segment]) -> Iterator[IntegrityError]:
    """Yield the segments that go on from a line of a chain in which no parent of theirs ends."""
    for segment in segments.values():
        parents = [segments[name] for name in segment.parents if name in segments]
        known = segment.first == 1 or any(
            (parent.last, parent.digest) == (segment.first - 1, segment.follows) for parent in parents
        )
        if not known and len(parents) == len(segment.parents):
            message = f"goes on from line {segment.first - 1} of a chain, and no parent of it ends there"
            yield IntegrityError(path(folder, segment.name), 0, "BROKEN_CHAIN", message)


def ancestors(segments: Mapping[str, Segment], of: Collection[str]) -> set[str]:
    """Return these segments and all that come before them, as far as they are here."""
    found: set[str] = set()
    waiting = [name for name in of if name in segments]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(parent for parent in segments[name].parents if parent in segments)
    return found


def _header(line: bytes) -> Mapping[str, object]:
    event = from_line(line)
    if event.type != HEADER or event.seq != 0 or event.prev != GENESIS:
        raise EventError("the first line is no header")
    return event.data


def _segment(name: str, data: Mapping[str, object]) -> Segment:
    """Take a header's data, or say which field is not as it must be."""
    parents, first, last = data.get("parents"), data.get("first"), data.get("last")
    texts = [data.get(field) for field in ("follows", "digest", "oldest_id", "newest_id")]
    follows, digest, oldest_id, newest_id = (text if isinstance(text, str) else "" for text in texts)
    if not isinstance(parents, list) or not all(isinstance(p, str) and _NAME.fullmatch(p) for p in parents):
        raise EventError("the header's parents are no names of segments")
    if not isinstance(first, int) or not isinstance(last, int) or not 1 <= first <= last:
        raise EventError("the header does not say which lines follow")
    if not (_NAME.fullmatch(follows) and _NAME.fullmatch(digest) and oldest_id and newest_id):
        raise EventError("the header does not say where its lines end")
    return Segment(name, tuple(parents), first, last, follows, digest, oldest_id, newest_id)


def _cache(folder: str) -> str:
    return os.path.join(folder, "cache", "segments.json")


class _Looked(NamedTuple):
    """What was read of a segment's file: its header, or the `whole`, whose hash is its name."""

    segment: Segment
    stamp: Stamp | None
    whole: bool


def _stamp(file: str) -> Stamp | None:
    """Return what differs between two versions of a file, without reading it; None for a file that is gone."""
    try:
        return stamp(os.lstat(file))
    except OSError:
        return None


def _remembered(folder: str) -> dict[str, _Looked]:
    try:
        with open(_cache(folder), "rb") as file:
            records = json.load(file)
        return {
            name: _Looked(Segment(name, tuple(parents), *rest), at and tuple(at), whole)
            for (name, parents, *rest), at, whole in records
        }
    except (OSError, ValueError, TypeError):
        return {}


def _remember(folder: str, found: Iterable[_Looked]) -> None:
    if os.path.isdir(os.path.dirname(_cache(folder))):
        with contextlib.suppress(OSError, StorageError):
            publish(_cache(folder), json.dumps(list(found)).encode(), durable=False)


def find(folder: str, event_id: str) -> Event | None:
    """Return a sealed event by its id, out of segments whose ids begin before and end after it.

    One that is damaged may hold it as well. One that the system does not let us read is an error: nobody knows.
    """
    known, damage = read_headers(folder)
    covering = [name for name, held in known.items() if held.oldest_id <= event_id <= held.newest_id]
    for name in [*covering, *filter(None, (name_of(error.file) for error in damage))]:
        event = chain.find(_searched(path(folder, name)), event_id)
        if event is not None:
            return event
    return None


def newest_id(folder: str) -> str:
    """Return the highest id of a sealed event, so that a later one need not be looked up; empty when there is none.

    It is remembered for as long as no file came to the segments or went from them.
    """
    try:
        changed = os.stat(os.path.join(folder, SEGMENTS)).st_mtime_ns
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise StorageError(f"cannot look at {error.filename}: {error.strerror}") from None
    memory = os.path.join(folder, "state", "newest_id")
    with contextlib.suppress(OSError, ValueError), open(memory, encoding="ascii") as file:
        told, newest = file.read(100).split()
        if int(told) == changed:
            return newest
    known, damage = read_headers(folder)
    if damage:
        return _LATER_THAN_ALL
    newest = max((segment.newest_id for segment in known.values()), default="")
    # A folder that changed just now may change again and keep its time.
    if newest and time.time_ns() - changed > SETTLED_NS:
        with contextlib.suppress(OSError, StorageError):
            publish(memory, f"{changed} {newest}".encode(), durable=False)
    return newest


def hold(folder: str, digest: str) -> bool:
    """Return whether a line with this hash is sealed."""
    if any(segment.digest == digest for segment in read_headers(folder)[0].values()):
        return True
    needle = b'"prev":"%s"' % digest.encode()
    return any(needle in _searched(path(folder, name)) for name in names(folder))


def _searched(file: str) -> bytes:
    """Return what there is to search in a segment's file, sound or not."""
    try:
        with open_file(file) as opened:
            return opened.read(MAX_SEGMENT_BYTES)
    except (FileNotFoundError, NotAFileError):
        return b""
    except OSError as error:
        raise StorageError(f"cannot read {file}: {error.strerror}") from None
