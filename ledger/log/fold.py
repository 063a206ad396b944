"""Fold the events of a ledger into a value that is kept, so that each line is read once.

What follows from the segments is kept apart from what follows from the tail as well: when the tail is sealed, its lines
are read once more, as those of a segment. All of it may be deleted at any time.
"""

import contextlib
import copy
import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.errors import StorageError, warn_of
from linetrail.ledger.event.event import Event, from_line
from linetrail.ledger.files import make_folder, publish, sha256
from linetrail.ledger.log import segments
from linetrail.ledger.log.chain import START, Head
from linetrail.ledger.log.duplicates import TAIL, repeats
from linetrail.ledger.log.extent import Extent
from linetrail.ledger.log.segments import Segment
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository

# A value is what JSON can hold.
Value = dict[str, Any]


class Fold(NamedTuple):
    """How a value follows from events: `step` changes it by one more. Whoever changes that changes the name.

    A line that is not wanted by what is known so far is not decoded; None wants each.
    """

    name: str
    begin: Mapping[str, Any]
    step: Callable[[Value, Event], None]
    wants: Callable[[Value, bytes], bool] | None = None


class _Kept(NamedTuple):
    """A value as the segments have it, and as the tail up to `end` has it, too."""

    segments: Sequence[str]
    sealed: Value
    end: Sequence[Any]
    value: Value


def folded(repository: Repository, fold: Fold, without: Collection[str] = ()) -> Value:
    """Return what follows from the events of a ledger, but for those of some segments; warn of what is damaged."""
    with Ledger(repository).extent() as extent:
        warn_of(extent.damage)
        wanted = [segment for segment in extent.segments if segment.name not in without]
        known = _read(repository, fold)
        found = _gone_on(extent, wanted, known, fold)
    if found != known:
        _keep(repository, fold, found)
    return found.value


def _gone_on(extent: Extent, wanted: Sequence[Segment], known: _Kept, fold: Fold) -> _Kept:
    names = [segment.name for segment in wanted]
    has_more = names != known.segments
    end = Head(*known.end)
    goes_on = not has_more and extent.end_at(end.size, end.seq) == end
    if goes_on and end == extent.head:
        return known
    repeated = repeats(extent, extent.segments, extent.runs)
    sealed = known.sealed
    if has_more:
        is_longer = names[: len(known.segments)] == known.segments
        sealed = sealed if is_longer else copy.deepcopy(dict(fold.begin))
        for segment in wanted[len(known.segments) if is_longer else 0 :]:
            content, start = segments.content(extent.folder, segment)
            lines = content[start.size :].splitlines(keepends=True)
            _take(sealed, fold, lines, segment.first, repeated.get(segment.name, ()))
    begin, value = (end, known.value) if goes_on else (extent.base, copy.deepcopy(sealed))
    _take(value, fold, extent.raw_tail(begin), begin.seq + 1, repeated.get(TAIL, ()))
    return _Kept(names, sealed, [*extent.head], value)


def _take(value: Value, fold: Fold, lines: Iterable[bytes], first: int, repeated: Collection[int]) -> None:
    for seq, line in enumerate(lines, first):
        if seq not in repeated and (fold.wants is None or fold.wants(value, line)):
            fold.step(value, from_line(line))


def _read(repository: Repository, fold: Fold) -> _Kept:
    """Return what was kept, as long as it is as it was written."""
    with contextlib.suppress(OSError), open(_place(repository, fold), "rb") as file:
        digest, _, text = file.read().partition(b"\n")
        if digest.decode(errors="replace") == sha256(text).hexdigest():
            return _Kept(*json.loads(text))
    begin = dict(fold.begin)
    return _Kept([], copy.deepcopy(begin), [*START], copy.deepcopy(begin))


def _keep(repository: Repository, fold: Fold, found: _Kept) -> None:
    """Keep a value where there is a place for it; asking makes no folder for a ledger."""
    place, text = _place(repository, fold), json.dumps(found).encode()
    if os.path.isdir(repository.folder):
        with contextlib.suppress(OSError, StorageError):
            make_folder(os.path.dirname(place))
            publish(place, sha256(text).hexdigest().encode() + b"\n" + text, durable=False)


def _place(repository: Repository, fold: Fold) -> str:
    return os.path.join(repository.folder, "cache", "folds", f"{fold.name}.json")
