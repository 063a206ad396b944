"""Find events that stand in two segments: the same transcript was imported on two branches, then they were merged.

An append makes sure that nothing before it has its ids, so only segments that do not know of each other can share one,
and only where their ids are of the same time. Where both say the same it is one event, and the first in order counts.
"""

import contextlib
import json
import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from linetrail.ledger import segments
from linetrail.ledger.errors import StorageError
from linetrail.ledger.extent import Run
from linetrail.ledger.files import publish
from linetrail.ledger.segments import Segment

_ID = re.compile(rb'^\{"v":\d+,"id":"([^"]+)"', re.MULTILINE)


def repeats(folder: str, order: Sequence[Segment], runs: Sequence[Run]) -> dict[str, frozenset[int]]:
    """Return the numbers of the lines in each segment that an earlier one has already, as far as these runs go."""
    known = {segment.name: segment for segment in order}
    checked, shared = _remembered(folder)
    if not checked <= known.keys():
        checked, shared = set(), {}
    new = known.keys() - checked
    for name in new:
        shared.update(_shared(folder, known, known[name]))
    if new:
        _remember(folder, sorted(known), shared)
    place = {segment.name: at for at, segment in enumerate(order)}
    ends = {run.segment.name: run.segment.first + run.events for run in runs if run.segment is not None}
    later: defaultdict[str, set[int]] = defaultdict(set)
    for sightings in shared.values():
        there = (sighting for sighting in sightings if sighting[1] < ends.get(sighting[0], 0))
        for name, seq in sorted(there, key=lambda sighting: place[sighting[0]])[1:]:
            later[name].add(seq)
    return {name: frozenset(numbers) for name, numbers in later.items()}


def _shared(folder: str, known: Mapping[str, Segment], new: Segment) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """Yield the ids that a segment shares with others, with every place they stand at."""
    before = segments.ancestors(known, [new.name])
    rivals = [
        other
        for other in known.values()
        if other.name not in before
        and new.name not in segments.ancestors(known, other.parents)
        and other.oldest_id <= new.newest_id
        and new.oldest_id <= other.newest_id
    ]
    if not rivals:
        return
    places: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for segment in (new, *rivals):
        for event_id, seq in _ids(folder, segment):
            places[event_id].append((segment.name, seq))
    yield from ((event_id, found) for event_id, found in places.items() if len(found) > 1)


def _ids(folder: str, segment: Segment) -> Iterator[tuple[str, int]]:
    content = segments.whole(segments.path(folder, segment.name))
    found = _ID.findall(content, content.index(b"\n") + 1)
    return ((event_id.decode(), seq) for seq, event_id in enumerate(found, segment.first))


def _file(folder: str) -> str:
    return os.path.join(folder, "cache", "repeats.json")


def _remembered(folder: str) -> tuple[set[str], dict[str, list[tuple[str, int]]]]:
    try:
        with open(_file(folder), "rb") as file:
            record = json.load(file)
        shared = {str(key): [(str(name), int(seq)) for name, seq in places] for key, places in record["shared"].items()}
        return set(record["checked"]), shared
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return set(), {}


def _remember(folder: str, checked: Sequence[str], shared: Mapping[str, Sequence[tuple[str, int]]]) -> None:
    if os.path.isdir(os.path.dirname(_file(folder))):
        with contextlib.suppress(OSError, StorageError):
            publish(_file(folder), json.dumps({"checked": checked, "shared": shared}).encode(), durable=False)
