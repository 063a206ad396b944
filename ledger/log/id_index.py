"""Find ids that stand in more than one place, among many millions, in little memory.

An id is looked at as its last 64 bits, which are random or a hash; who finds two of the same looks at the lines.
"""

import contextlib
import hashlib
import re
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from linetrail.ledger.errors import EventError
from linetrail.ledger.event.commitments import comparable
from linetrail.ledger.event.event import from_line, line_digest

# So many ids are held as objects at a time.
PORTION = 500_000
# Sessions of long ago, imported, stand beside those of today: a stretch from the oldest to the newest says little.
MOST_SPANS = 1_000
_RANGE = 1 << 64
_CHARACTERS = 36
_UUIDS = re.compile("(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})*")
_LINE = re.compile(rb'^\{"v":\d+,"id":"([^"]+)","seq":(\d+),"prev":"[^"]*".*\n', re.MULTILINE)


class Span(NamedTuple):
    """Which ids a stretch of lines may hold: none before the oldest, none after the newest."""

    name: str
    oldest_id: str
    newest_id: str


class Place(NamedTuple):
    """Where an id stands, and the line that has it."""

    event_id: str
    offset: int
    seq: int
    raw: bytes

    def substance(self) -> str:
        """Name what the line says, but for its place and for what differs from machine to machine."""
        with contextlib.suppress(EventError):
            return line_digest(repr(comparable(from_line(self.raw))).encode(errors="replace"))
        return line_digest(self.raw)


def keys(ids: Sequence[str]) -> "array[int]":
    """Return the last 64 bits of these ids, sorted."""
    together = "".join(ids)
    if {len(event_id) for event_id in ids} == {_CHARACTERS} and _UUIDS.fullmatch(together):
        whole = bytes.fromhex(together.replace("-", ""))
    else:
        whole = b"".join(map(_bits, ids))
    found = array("Q", whole)[1::2]
    if sys.byteorder == "big":
        found.byteswap()  # the last byte is evenly spread, the first is not
    return array("Q", sorted(found))


def spans(name: str, ids: Iterable[str]) -> list[Span]:
    """Return stretches that hold all of these ids, each as short as so few of them can be."""
    known = sorted(ids)
    size = len(known) // MOST_SPANS + 1
    return [Span(name, known[at], known[min(at + size, len(known)) - 1]) for at in range(0, len(known), size)]


def overlapping(spans: Iterable[Span]) -> set[str]:
    """Return the names of the spans that share a stretch of time with another."""
    found: set[str] = set()
    furthest: Span | None = None
    for span in sorted(spans, key=lambda span: span.oldest_id):
        if furthest is not None and span.oldest_id <= furthest.newest_id:
            found |= {furthest.name, span.name}
        if furthest is None or span.newest_id > furthest.newest_id:
            furthest = span
    return found


def touching(spans: Iterable[Span], others: Iterable[Span]) -> set[str]:
    """Return the names of those spans that share a stretch of time with one of the others."""
    merged: list[tuple[str, str]] = []
    for other in sorted(others, key=lambda other: other.oldest_id):
        if merged and other.oldest_id <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], other.newest_id))
        else:
            merged.append((other.oldest_id, other.newest_id))
    ends = [end for _, end in merged]
    found = set()
    for span in spans:
        at = bisect_left(ends, span.oldest_id)
        if at < len(merged) and merged[at][0] <= span.newest_id:
            found.add(span.name)
    return found


def shared(keyed: Mapping[str, "array[int]"]) -> dict[str, set[int]]:
    """Return, for each name, which of its keys stand in another place too, or twice in its own."""
    portions = sum(map(len, keyed.values())) // PORTION + 1
    twice: set[int] = set()
    for portion in range(portions):
        low, high = _RANGE * portion // portions, _RANGE * (portion + 1) // portions
        seen: set[int] = set()
        for found in keyed.values():
            start = bisect_left(found, low)
            stretch = found[start : bisect_left(found, high, start)]
            here = set(stretch)
            if len(here) != len(stretch):
                twice.update(key for at, key in enumerate(stretch[1:]) if key == stretch[at])
            twice |= here & seen
            seen |= here
    return {name: common for name, found in keyed.items() if (common := twice.intersection(found))}


def ids(lines: bytes) -> list[str]:
    return [match[1].decode() for match in _LINE.finditer(lines)]


def places(lines: bytes, wanted: AbstractSet[int]) -> Iterator[Place]:
    """Yield where the ids with these keys stand."""
    for match in _LINE.finditer(lines):
        event_id = match[1].decode()
        if keys([event_id])[0] in wanted:
            yield Place(event_id, match.start(), int(match[2]), match[0])


def _bits(event_id: str) -> bytes:
    """Return 128 bits that stand for any text: its own where it is a UUID."""
    if len(event_id) == _CHARACTERS and _UUIDS.fullmatch(event_id):
        return bytes.fromhex(event_id.replace("-", ""))
    return hashlib.sha256(event_id.encode()).digest()[:16]
