"""Read decisions from the tables, and find the lines that each of them governs in a content of today.

Lines are known again by the hashes that were recorded with the decision: where the block stands now, in the same
file or in another one, and by the edits that the ledger has seen. Nothing here asks git or reads a file.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.files import digest
from linetrail.ledger.knowledge.decision import Place
from linetrail.ledger.observe.substance import split
from linetrail.projections.closure import reached
from linetrail.projections.lines.align import align, confirmed, trivial
from linetrail.projections.lines.replay import Replay
from linetrail.projections.lines.states import hashes_of
from linetrail.projections.lines.surviving_lines import histories
from linetrail.projections.lines.transitions import read
from linetrail.projections.statements import statement
from linetrail.projections.tables.tables import Tables

# How a line is known to be one that was decided about.
FILE, SAME, MOVED, EDITED, NUMBER = "file", "same", "moved", "edited", "number"


Record = Mapping[str, Any]


class Governed(NamedTuple):
    """The lines of a content that one decision is about; the best reason why each of them is."""

    decision: Record
    lines: Mapping[int, str]


def decisions(tables: Tables) -> Sequence[Record]:
    """Return every decision as it was recorded last, oldest first, with its lists as lists."""
    return tables.once(_recorded)


def _recorded(tables: Tables) -> Sequence[Record]:
    records = []
    for record in tables.ask(statement("decisions_with_places")).mappings():
        listed = {name: json.loads(record[name] or "[]") for name in ("lines", "places", "alternatives")}
        records.append(record | listed)
    return records


def governed(tables: Tables, path: str, content: bytes) -> list[Governed]:
    """Return what every decision says about a content of a file, newest decision first."""
    here = _Here(tables, path, content)
    found = []
    for decision in reversed(decisions(tables)):
        lines: dict[int, str] = {}
        for place in places(decision):
            for number, how in here.lines(place).items():
                lines.setdefault(number, how)
        if lines:
            found.append(Governed(decision, dict(sorted(lines.items()))))
    return found


def governing(tables: Tables, path: str, line_no: int, content: bytes) -> list[Record]:
    """Return the decisions that govern one line of a content, newest first."""
    return [one.decision for one in governed(tables, path, content) if line_no in one.lines]


def places(decision: Record) -> list[Place]:
    """Return the places of a decision; lines without hashes, as others may have recorded them, keep their numbers."""
    hashed = [
        Place(place["path"], place["first"], place["last"], place["line_hashes"]) for place in decision["places"] or ()
    ]
    known = {place.text for place in hashed}
    return hashed + [_place(text) for text in decision["lines"] or () if text not in known]


def _place(text: str) -> Place:
    path, _, numbers = text.rpartition(":")
    first, _, last = numbers.partition("-")
    if not path or not first.isdecimal() or not (last or first).isdecimal():
        return Place(text)
    return Place(path, int(first), int(last or first))


class _Here:
    """One content of one file, in which places are looked for."""

    def __init__(self, tables: Tables, path: str, content: bytes) -> None:
        self._tables = tables
        self._path = path
        self._digest = digest(content)
        self._hashes = hashes_of(split(content))
        self._names = _former_names(path, tables.records.renames())
        self._ancestors: list[frozenset[str]] | None = None

    def lines(self, place: Place) -> dict[int, str]:
        """Return the lines that this place became, by number, each with how that is known."""
        own = place.path in self._names
        if place.first is None or place.last is None:
            return dict.fromkeys(range(1, len(self._hashes) + 1), FILE) if own else {}
        if not place.line_hashes:
            last = min(place.last, len(self._hashes))
            return dict.fromkeys(range(place.first, last + 1), NUMBER) if place.path == self._path else {}
        at = self._standing(place) if own else None
        if at is not None:
            unmoved = at + 1 == place.first
            return dict.fromkeys(range(at + 1, at + 1 + len(place.line_hashes)), SAME if unmoved else MOVED)
        found = self._aligned(place, own=own)
        if own:
            wanted = {line for line in place.line_hashes if not trivial(line)}
            edited = {n for n, before in enumerate(self._before(), 1) if not wanted.isdisjoint(before)}
            found = dict.fromkeys(edited, EDITED) | found
        return found

    def _standing(self, place: Place) -> int | None:
        """Return where the block stands as it was, counted from 0; of several places the nearest to the old one."""
        wanted, size = list(place.line_hashes), len(place.line_hashes)
        starts = [at for at, line in enumerate(self._hashes) if line == wanted[0]]
        whole = [at for at in starts if self._hashes[at : at + size] == wanted]
        old = (place.first or 1) - 1
        if old not in whole and all(map(trivial, wanted)):
            return None
        return min(whole, key=lambda at: (abs(at - old), at), default=None)

    def _aligned(self, place: Place, *, own: bool) -> dict[int, str]:
        """Return the lines that are left of a block; in another file only runs that hardly are there by chance."""
        found = align(place.line_hashes, self._hashes)
        sure = confirmed(place.line_hashes, self._hashes, found, range(len(found)))
        matched = [
            at
            for at, old in enumerate(found)
            if old is not None and (at in sure or (own and not trivial(place.line_hashes[old])))
        ]
        if not matched:
            return {}
        if matched[-1] - matched[0] < 2 * len(place.line_hashes):
            # what was put in between stands in the middle of what was decided
            matched = list(range(matched[0], matched[-1] + 1))
        return {at + 1: MOVED if found[at] is not None else EDITED for at in matched}

    def _before(self) -> list[frozenset[str]]:
        """Return, for each line, the hashes of the lines it was made out of, as far as the ledger has seen it."""
        if self._ancestors is None:
            rows = self._tables.records.changes(self._names)
            past = histories(read(rows)).get(self._path, [])
            state = Replay(past, lambda _: None).state(self._digest)
            lines = state.lines if state else []
            self._ancestors = [frozenset(link.hash for link in line.chain() if link.hash is not None) for line in lines]
        return self._ancestors


def _former_names(path: str, renames: Iterable[tuple[Any, ...]]) -> set[str]:
    """Return a path with every name that its file is known to have had."""
    before = defaultdict(set)
    for _, name, former in renames:
        before[name].add(former)
    return reached([path], before.__getitem__)
