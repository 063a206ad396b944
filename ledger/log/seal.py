"""Close the lines of a tail into segments."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO

from linetrail.ledger.event.event import line_digest
from linetrail.ledger.log import segments
from linetrail.ledger.log.chain import FULL_BYTES, FULL_EVENTS, START, Head, Line, read
from linetrail.ledger.log.segments import Segment

_ID = re.compile(rb'\{"v":\d+,"id":"([^"]+)"')


def close(path: str, folder: str) -> list[Segment]:
    """Seal what no segment holds yet of the whole, unchanging tail at this path; return the segments that are new.

    Damage in the tail is raised before anything is sealed that comes after it.
    """
    known, _ = segments.read_headers(folder)
    made = []
    with open(path, "rb") as file:
        before = sealed_end(file, known)
        continued = {segment.name for segment in known.values() if segment.digest == before.digest}
        parents = continued.union(segments.heads(known)[: segments.MAX_PARENTS])
        for piece in _pieces(read(file, path, before)):
            segment, content = segments.compose(piece, sorted(parents))
            segments.keep(folder, segment, content)
            made.append(segment)
            parents = {segment.name}
    return made


def sealed_end(tail: BinaryIO, known: Mapping[str, Segment]) -> Head:
    """Return how much of a tail is sealed already: more than nothing only after a crash between two steps.

    A digest of a line stands for all lines before it, so one look-up for each line is enough.
    """
    ends = {segment.digest for segment in known.values()}
    newest = max((segment.newest_id for segment in known.values()), default="")
    found, offset = START, 0
    tail.seek(0)
    for seq, raw in enumerate(tail, 1):
        if seq == 1 and (opening := _ID.match(raw)) and opening[1].decode() > newest:
            break
        offset += len(raw)
        digest = line_digest(raw)
        if digest in ends:
            found = Head(offset, seq, digest)
    return found


def _pieces(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Cut lines into stretches that are no longer than a segment may be."""
    piece: list[Line] = []
    size = 0
    for line in lines:
        if piece and (len(piece) == FULL_EVENTS or size + len(line.raw) > FULL_BYTES):
            yield piece
            piece, size = [], 0
        piece.append(line)
        size += len(line.raw)
    if piece:
        yield piece
