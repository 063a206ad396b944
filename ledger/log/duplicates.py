"""Find events that stand twice in a ledger: the same transcript was imported on two branches, then they were merged.

An append makes sure that nothing it knows has its ids, but git brings segments that no append has seen. Where both say
the same it is one event, and the first in the order of the ledger counts.
"""

import contextlib
import json
import os
from array import array
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import make_folder, publish
from linetrail.ledger.log import segments
from linetrail.ledger.log.extent import Extent, Run
from linetrail.ledger.log.id_index import Span, ids, keys, overlapping, places, shared, spans, touching
from linetrail.ledger.log.segments import Segment

# The tail among the names of segments.
TAIL = ""

# where the ids stand that stand twice: the name of the segment and the number of the line
Shared = Mapping[str, Sequence[tuple[str, int]]]


def repeats(extent: Extent, order: Sequence[Segment], runs: Sequence[Run]) -> dict[str, frozenset[int]]:
    """Return the numbers of the lines in each segment that come earlier already, as far as these runs go."""
    place = {segment.name: at for at, segment in enumerate(order)} | {TAIL: len(order)}
    ends = {run.segment.name: run.segment.first + run.events for run in runs if run.segment is not None}
    ends[TAIL] = extent.head.seq + 1
    later: defaultdict[str, set[int]] = defaultdict(set)
    for found in (_sealed(extent.folder, order), _in_tail(extent, order)):
        for stands in found.values():
            there = (sighting for sighting in stands if sighting[1] < ends.get(sighting[0], 0))
            for name, seq in sorted(there, key=lambda sighting: place[sighting[0]])[1:]:
                later[name].add(seq)
    return {name: frozenset(numbers) for name, numbers in later.items()}


def _sealed(folder: str, order: Sequence[Segment]) -> Shared:
    """Return what segments share; only what is new since the last time is looked at."""
    known = {segment.name: Span(segment.name, segment.oldest_id, segment.newest_id) for segment in order}
    checked, found = _remembered(folder)
    if not checked <= known.keys():
        checked, found = set(), {}
    new = known.keys() - checked
    if new:
        later = [known[name] for name in new]
        suspects = touching([known[name] for name in checked], later)
        suspects |= touching(later, [known[name] for name in checked]) | overlapping(later)
        contents = {name: segments.whole(segments.path(folder, name)) for name in suspects}
        found = {**found, **_common(contents)}
        _remember(folder, sorted(known), found)
    return found


def _in_tail(extent: Extent, order: Sequence[Segment]) -> Shared:
    """Return what the tail shares with segments: they came with git after it was written."""
    lines = extent.tail_lines() if order else b""
    told = ids(lines)
    sealed = [Span(segment.name, segment.oldest_id, segment.newest_id) for segment in order]
    known = {name: keys_of(extent.folder, name) for name in touching(sealed, spans(TAIL, told))}
    own = set(keys(told))
    suspects = [name for name, theirs in known.items() if not own.isdisjoint(theirs)]
    contents = {name: segments.whole(segments.path(extent.folder, name)) for name in suspects}
    return _common({TAIL: lines} | contents) if suspects else {}


def keys_of(folder: str, name: str) -> "array[int]":
    """Return the keys of the ids in a segment; they are kept, since every event that comes is held against them."""
    path = os.path.join(folder, "cache", "ids", name)
    with contextlib.suppress(OSError, ValueError), open(path, "rb") as file:
        return array("Q", file.read())
    found = keys(ids(segments.whole(segments.path(folder, name))))
    if os.path.isdir(os.path.join(folder, "cache")):
        with contextlib.suppress(OSError, StorageError):
            make_folder(os.path.dirname(path))
            publish(path, found.tobytes(), durable=False)
    return found


def _common(contents: Mapping[str, bytes]) -> Shared:
    found: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for name, wanted in shared({name: keys(ids(lines)) for name, lines in contents.items()}).items():
        for place in places(contents[name], wanted):
            found[place.event_id].append((name, place.seq))
    return found


def _file(folder: str) -> str:
    return os.path.join(folder, "cache", "repeats.json")


def _remembered(folder: str) -> tuple[set[str], Shared]:
    try:
        with open(_file(folder), "rb") as file:
            record = json.load(file)
        found = {str(key): [(str(name), int(seq)) for name, seq in stands] for key, stands in record["shared"].items()}
        return set(record["checked"]), found
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return set(), {}


def _remember(folder: str, checked: Collection[str], found: Shared) -> None:
    if os.path.isdir(os.path.dirname(_file(folder))):
        with contextlib.suppress(OSError, StorageError):
            publish(_file(folder), json.dumps({"checked": checked, "shared": found}).encode(), durable=False)
