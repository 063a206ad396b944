"""Find the lines about which a person overruled an answer, and answer for them as the person did.

A correction is bound to the change that wrote the lines, or to the commit where git alone speaks of them, and to what
the lines say. So it follows them wherever they are followed, and is over where somebody changes one.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from linetrail.ledger.observe.substance import split
from linetrail.ledger.repository import Repository, stored_path
from linetrail.projections.git.history import GitLine
from linetrail.projections.git.target import Target
from linetrail.projections.lines.align import trivial
from linetrail.projections.lines.attribution import Attribution, corrected
from linetrail.projections.lines.causality import Causality
from linetrail.projections.lines.states import hashes_of
from linetrail.projections.statements import statement
from linetrail.projections.tables.tables import Tables

CONTRIBUTOR, CLASS = "contributor", "class"


Record = Mapping[str, Any]


class Identity(NamedTuple):
    """What tells a line again: `nth` of those that are equal and have the same event, in the order of the file."""

    event_id: str | None
    hash: str
    nth: int


class Corrections:
    """What people said in place of the answers about lines, in one ledger."""

    def __init__(self, repository: Repository, tables: Tables) -> None:
        self._tables = tables
        self._causality = Causality(repository)

    def applied(
        self, judged: Sequence[Attribution], lines: Sequence[GitLine], target: Target, names: Collection[str]
    ) -> Sequence[Attribution]:
        """Return the answers about a content with what people said in their place; `names` are those of its file."""
        known = _Content(judged, lines, target, names)
        said = {at: one for one in self._all for at in self._lines(one, known)}
        # lines with the same answer share one
        made: dict[tuple[int, str], Attribution] = {}
        answers = list(judged)
        for at, one in said.items():
            key = id(judged[at]), one["correction_id"]
            if one["answer_after"] is not None and key not in made:
                made[key] = corrected(judged[at], one["correction_id"], one["answer_after"], one["agent_name"])
            answers[at] = made.get(key, judged[at])
        return answers

    def events(self, judged: Sequence[Attribution]) -> list[str | None]:
        """Return the event that each answer followed from before anybody corrected it; None where git alone spoke."""
        before = {one["correction_id"]: one["event_id"] for one in self._all}
        return [before.get(by.event_id, by.event_id) for by in judged]

    @cached_property
    def _all(self) -> Sequence[Record]:
        """Every correction of lines, oldest first: in most ledgers there is none."""
        if self._tables.is_empty("correction_records"):
            return []
        return [
            row | {"line_hashes": json.loads(row["line_hashes"]), "nth": json.loads(row["nth"] or "[]")}
            for row in self._tables.ask(statement("corrections_of_claims")).mappings()
        ]

    def _lines(self, one: Record, known: "_Content") -> Iterator[int]:
        """Yield the places of the lines that a correction is about."""
        named = list(zip(one["line_hashes"], one["nth"], strict=False))
        if one["event_id"] is not None:
            if one["event_id"] in known.events:
                yield from known.written(one["event_id"], named)
            return
        yield from known.committed(one)
        if one["path"] in known.names and not self._is_there(one["vcs_revision"], known.head):
            yield from known.rewritten(named)

    def _is_there(self, revision: str | None, head: str | None) -> bool:
        """Return whether a commit is in the history of another one, so that it still has the lines that it had."""
        return revision is not None and head is not None and self._causality.is_in(revision, head)


class _Content:
    """One content of one file, in which lines are looked for."""

    def __init__(
        self, judged: Sequence[Attribution], lines: Sequence[GitLine], target: Target, names: Collection[str]
    ) -> None:
        self._judged, self._lines, self._target, self.names = judged, lines, target, names
        self.head = target.revision or target.head

    @cached_property
    def events(self) -> Collection[str | None]:
        """The events that the answers follow from."""
        return {by.event_id for by in self._judged}

    @cached_property
    def _hashes(self) -> Sequence[str]:
        return hashes_of(split(self._target.content))

    @cached_property
    def _places(self) -> Mapping[Identity, int]:
        return {one: at for at, one in enumerate(identities((by.event_id for by in self._judged), self._hashes))}

    @cached_property
    def _committed(self) -> Mapping[tuple[str | None, str, int], int]:
        return {
            (line.revision, stored_path(line.filename), line.original_line): at
            for at, line in enumerate(self._lines)
            if self._judged[at].event_id is None
        }

    def written(self, event_id: str, named: Iterable[tuple[str, int]]) -> Iterator[int]:
        """Yield the lines that a change wrote and that say what they said."""
        found = (self._places.get(Identity(event_id, *name)) for name in named)
        yield from (at for at in found if at is not None)

    def committed(self, one: Record) -> Iterator[int]:
        """Yield the lines that git still finds in the commit of a correction."""
        for number, name in enumerate(one["line_hashes"], one["origin_line"] or 0):
            at = self._committed.get((one["vcs_revision"], one["origin_path"], number))
            if one["vcs_revision"] is not None and at is not None and self._hashes[at] == name:
                yield at

    def rewritten(self, named: Iterable[tuple[str, int]]) -> Iterator[int]:
        """Yield the lines that have another commit now: those equal to them, trivial ones behind another one alone."""
        before = None
        for name, nth in named:
            at = self._places.get(Identity(None, name, nth))
            if at is not None and (not trivial(name) or (before is not None and at == before + 1)):
                yield at
                before = at


def identities(events: Iterable[str | None], hashes: Sequence[str]) -> list[Identity]:
    """Return what tells each line of a content again; `events` are those that the answers followed from."""
    seen: Counter[tuple[str | None, str]] = Counter()
    found = []
    for like in zip(events, hashes, strict=True):
        seen[like] += 1
        found.append(Identity(*like, seen[like]))
    return found
