"""Record that a person overrules who wrote lines, or what the change was that wrote them.

What every surface calls; that it is a person who says so is for the surface to make sure of (`author.require_person`).
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from linetrail.ledger.agents import AGENTS
from linetrail.ledger.errors import LinetrailError, UsageError
from linetrail.ledger.event.event import Event, new_id
from linetrail.ledger.knowledge.decision import MAX_TEXT
from linetrail.ledger.knowledge.markdown_line import visible
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.observe.substance import split
from linetrail.ledger.redact.redactor import Redactor, private_folder
from linetrail.ledger.repository import Repository, Vcs, head, stored_path
from linetrail.projections.blame.blame import Answer, Blamer, Opened
from linetrail.projections.classify.judgement import named
from linetrail.projections.git.target import Target
from linetrail.projections.lines.attribution import CORRECTION, DOUBTFUL
from linetrail.projections.lines.corrections import CLASS, CONTRIBUTOR, Corrections, identities
from linetrail.projections.lines.states import hashes_of
from linetrail.projections.tables.tables import Tables
from linetrail.queries.record.author import PERSON, event_by, person
from linetrail.queries.render.text import plain
from linetrail.queries.statements import statement

# Lines that one event has room for.
MAX_LINES = 1500
KINDS = ("human", "ai", "unknown")
CLASSES = ("refactor", "evolution", "bug-fix", "optimization")


class CorrectionError(LinetrailError):
    """There is nothing to correct, or to take back."""

    exit_status = 1


class Wish(NamedTuple):
    """What a person says: who wrote the lines, of which class the change was, or that corrections be taken back."""

    by: str | None = None
    mutation_class: str | None = None
    withdraw: bool = False
    reason: str | None = None


def correct(
    repository: Repository, target: Target, opened: Opened, numbers: tuple[int, int], wish: Wish
) -> list[Event]:
    """Append what a person says of lines of a content, from one number to another, and return the events."""
    wished, (first, last) = _Wished(opened.tables, wish), numbers
    with Blamer(repository, opened=opened) as blamer:
        answer = blamer.answer(target)
    if not 1 <= first <= last <= len(answer.attributions):
        raise UsageError(f"{plain(target.path)} has {len(answer.attributions):,} lines, counted from 1")
    lines = _Lines(target, answer, Corrections(repository, opened.tables), range(first, last + 1))
    said = [*wished.contributors(lines), *wished.classes(lines)]
    if not said:
        told = "nothing of these lines was corrected" if wish.withdraw else "that is what is answered already"
        raise CorrectionError(f"{plain(target.path)}:{first}-{last} stays as it is: {told}")
    redactor = Redactor(private_folder(repository))
    why = {"reason": wish.reason and redactor.cut(visible(wish.reason), MAX_TEXT), "person": person(repository)}
    now_ns, vcs = time.time_ns(), head(repository)
    events = [_event({**one, **why}, now_ns, vcs) for one in said]
    Ledger(repository).append(events)
    return events


def _event(data: Mapping[str, Any], now_ns: int, vcs: Vcs | None) -> Event:
    known = {name: value for name, value in data.items() if value is not None or name in ("before", "after")}
    name = new_id(now_ns)
    return event_by(PERSON, "correction.recorded", known, event_id=name, now_ns=now_ns, intent_id=None, vcs=vcs)


class _Lines:
    """The lines that a person speaks of, and what is answered about them."""

    def __init__(self, target: Target, answer: Answer, corrections: Corrections, numbers: range) -> None:
        self.path, self.answer, self.numbers = target.path, answer, numbers
        self.events = corrections.events(answer.attributions)
        self.identities = identities(self.events, hashes_of(split(target.content)))

    def runs(self, numbers: Iterable[int]) -> Iterator[Sequence[int]]:
        """Yield the lines that follow each other, have the same answer and come from the same place."""
        for _, run in groupby(numbers, self._alike):
            yield list(run)

    def _alike(self, number: int) -> tuple[object, ...]:
        event, line = self.events[number - 1], self.answer.git.lines[number - 1]
        kind, part = self.answer.attributions[number - 1].contributor_type, self.numbers.index(number) // MAX_LINES
        return event, kind, part, None if event else (line.revision, line.filename, number - line.original_line)


class _Wished:
    """What a person says, checked, of any lines."""

    def __init__(self, tables: Tables, wish: Wish) -> None:
        if sum((bool(wish.by or wish.mutation_class), wish.withdraw)) != 1:
            raise UsageError("say who wrote the lines (--by), what the change was (--class), or --withdraw")
        if len(wish.reason or "") > MAX_TEXT:
            raise UsageError(f"the reason takes {len(wish.reason or ''):,} characters, {MAX_TEXT:,} are kept")
        self._tables, self._wish = tables, wish
        self._class = named(wish.mutation_class)
        if wish.mutation_class is not None and self._class is None:
            raise UsageError(f"{plain(wish.mutation_class)} is no class; write {', '.join(CLASSES)}")
        self._kind, self._agent = self._author(wish.by)

    def _author(self, by: str | None) -> tuple[str | None, str | None]:
        if by is None or by in KINDS:
            return by, None
        known = {*AGENTS, *(name for (name,) in self._tables.ask(statement("correct_agents")).rows)}
        if by not in known:
            raise UsageError(f"{plain(by)} is nobody known here; write {', '.join((*KINDS, *sorted(known)))}")
        return "ai", by

    def contributors(self, lines: _Lines) -> Iterator[Mapping[str, Any]]:
        """Yield the corrections of who wrote the lines."""
        if self._wish.by is None and not self._wish.withdraw:
            return
        judged, git = lines.answer.attributions, lines.answer.git.lines
        for run in lines.runs(number for number in lines.numbers if self._differs(lines, number)):
            first, at = run[0], git[run[0] - 1]
            alone = lines.events[first - 1] is None
            found = [lines.identities[number - 1] for number in run]
            yield {
                "event_id": lines.events[first - 1],
                "field": CONTRIBUTOR,
                "before": judged[first - 1].contributor_type,
                "after": self._kind,
                "agent_name": self._agent,
                "path": lines.path,
                "first": first,
                "last": run[-1],
                "line_hashes": [one.hash for one in found],
                "nth": [one.nth for one in found],
                "revision": at.revision if alone else None,
                "origin": stored_path(at.filename) if alone and at.revision else None,
                "origin_first": at.original_line if alone and at.revision else None,
            }

    def _differs(self, lines: _Lines, number: int) -> bool:
        """Return whether a line would have another answer than it has, or a surer one."""
        by = lines.answer.attributions[number - 1]
        if self._wish.withdraw:
            return by.evidence == CORRECTION
        same = by.contributor_type == self._kind and self._agent in (None, by.agent_name)
        return not same or (by.confidence < DOUBTFUL and by.evidence != CORRECTION)

    def classes(self, lines: _Lines) -> Iterator[Mapping[str, Any]]:
        """Yield the corrections of what the changes were that wrote the lines."""
        if self._class is None and not self._wish.withdraw:
            return
        written: dict[str, list[int]] = {}
        for number in lines.numbers:
            if (event := lines.events[number - 1]) is not None:
                written.setdefault(event, []).append(number)
        changes = list(self._tables.ask(statement("correct_classes"), {"ids": list(written)}).mappings())
        if not changes and not self._wish.withdraw:
            raise CorrectionError("no recorded change wrote these lines, so there is no class to correct")
        for change in changes:
            before, numbers = change["mutation_class"], written[change["mutation_id"]]
            if change["corrected"] if self._wish.withdraw else before != self._class:
                place = {"path": lines.path, "first": numbers[0], "last": numbers[-1]}
                yield {
                    "event_id": change["mutation_id"],
                    "field": CLASS,
                    "before": before,
                    "after": self._class,
                } | place
