"""Read the objects of a list in a large JSON document, one after another.

The list is the document, or a member of the object that the document is. No more is held than one object of it, one
that is too long is counted and never held, and between two of them the file is closed. A document that is cut short
gives what stands before the cut.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from linetrail.queries.importers.transcript import HELD_BYTES, MAX_LINE_BYTES, Counts, Pending, parsed

CHUNK = 256 * 1024
_SIGN = re.compile(rb'["\[\]{}]')
_IN_STRING = re.compile(rb'(?:[^"\\]|\\.)*+', re.DOTALL)
_MAX_NAME = 64


class Place(NamedTuple):
    """Where an object stands in its document."""

    offset: int
    size: int


def objects(
    path: str, counts: Counts, start: int, time_of: Callable[[dict[str, Any]], int | None], *, member: str | None = None
) -> Iterator[Pending]:
    """Yield the objects of a list; those before the first time have `start`."""
    time = start
    try:
        for place in places(path, counts, member):
            counts.read += 1
            if place.size > MAX_LINE_BYTES:
                counts.rejected["record too long"] += 1
                continue
            with open(path, "rb") as file:
                file.seek(place.offset)
                fields = parsed(file.read(place.size) + b"\n", counts)
            if fields is None:
                continue
            time = time_of(fields) or time
            pending = Pending(time, path, *place, fields if place.size <= HELD_BYTES else None)
            del fields
            yield pending
    except OSError as error:
        counts.rejected[f"cannot be read: {error.strerror}"] += 1


def places(path: str, counts: Counts, member: str | None = None) -> Iterator[Place]:
    """Yield where the objects of a list are; a document that ends too early is counted."""
    scan = _Scan(None if member is None else member.encode())
    while not scan.done:
        with open(path, "rb") as file:
            file.seek(scan.read)
            chunk = file.read(CHUNK)
        if not chunk:
            counts.rejected["cut short" if scan.depth else "not JSON"] += 1
            return
        yield from scan.feed(chunk)
        counts.bytes = scan.read


class _Scan:
    """Goes through a document once: what stands in quotes is passed over, brackets are counted."""

    def __init__(self, member: bytes | None) -> None:
        self.done = False
        # brackets that are open, and bytes that were taken in
        self.depth = self.read = 0
        self._member = member
        # how deep the objects are that are looked for; none before their list begins
        self._wanted: int | None = None
        self._from = 0
        # the text in quotes that was met last outside of all lists, or its beginning
        self._name: bytearray | None = None
        self._last = b""
        self._quoted = False
        self._kept = b""

    def feed(self, chunk: bytes) -> Iterator[Place]:
        """Take the next bytes, and yield the objects that end in them."""
        start = self.read - len(self._kept)
        text = self._kept + chunk
        self.read += len(chunk)
        at = 0
        while at < len(text) and not self.done:
            if self._quoted:
                at = self._unquoted(text, at)
                if self._quoted:
                    break
            sign = _SIGN.search(text, at)
            if sign is None:
                at = len(text)
                break
            at = sign.end()
            if sign[0] == b'"':
                self._quoted = True
                self._name = bytearray() if self.depth == 1 else None
            else:
                yield from self._bracket(sign[0], start + sign.start())
        # half of an escaped sign may be left
        self._kept = text[at:]

    def _unquoted(self, text: bytes, at: int) -> int:
        """Return where a text in quotes ends, or as far as it goes on."""
        inside = _IN_STRING.match(text, at)
        end = inside.end() if inside else at
        if self._name is not None:
            self._name += text[at : min(end, at + _MAX_NAME)]
        if end < len(text) and text[end : end + 1] == b'"':
            self._quoted = False
            self._last = bytes(self._name or b"")
            return end + 1
        return end

    def _bracket(self, sign: bytes, place: int) -> Iterator[Place]:
        if sign in b"[{":
            if self.depth == self._wanted and sign == b"{":
                self._from = place
            self.depth += 1
            if self._wanted is None and sign == b"[" and self._is_wanted():
                self._wanted = self.depth
            return
        self.depth -= 1
        if self.depth == self._wanted and sign == b"}":
            yield Place(self._from, place + 1 - self._from)
        self.done = self.depth <= 0 or (self._wanted is not None and self.depth < self._wanted)

    def _is_wanted(self) -> bool:
        if self._member is None:
            return self.depth == 1
        return self.depth == 2 and self._last == self._member
