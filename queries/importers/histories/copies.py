"""Find how much of a transcript was read already, as the beginning of another one.

Whoever keeps a session at several moments keeps its transcript as often, longer every time. Beginnings are known by
their hashes: that of each transcript as a whole, and of some of its lines, as two may part anywhere.
"""

import hashlib
import io
from typing import NamedTuple

from linetrail.queries.importers.transcript import time_of

# A beginning is remembered for so many lines.
_EVERY = 32


class Rest(NamedTuple):
    """What of a transcript was not read before: from which byte on, and behind how many lines.

    `time` is that of the last record before it, `reached` the latest of all before it, `start` that of the first
    record of the whole; 0 where none has one.
    """

    offset: int
    lines: int
    time: int
    reached: int
    start: int


class Copies:
    """The beginnings of all transcripts that were met."""

    def __init__(self) -> None:
        self._known: dict[bytes, Rest] = {}

    def rest(self, content: bytes) -> Rest:
        """Return what of a transcript is new, and know all of it from now on."""
        lines = list(io.BytesIO(content))
        ended = len(lines) if content.endswith(b"\n") else len(lines) - 1
        digest = hashlib.sha256()
        names = []
        for line in lines[:ended]:
            digest.update(line)
            names.append(digest.digest())
        known = next((self._known[name] for name in reversed(names) if name in self._known), Rest(0, 0, 0, 0, 0))
        offset, _, time, reached, start = known
        for at in range(known.lines, len(lines)):
            time = time_of(lines[at]) or time
            reached, start, offset = max(reached, time), start or time, offset + len(lines[at])
            if at < ended and ((at + 1) % _EVERY == 0 or at + 1 == ended):
                self._known[names[at]] = Rest(offset, at + 1, time, reached, start)
        return known._replace(start=start)
