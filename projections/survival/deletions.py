"""Say who took each line away: the recorded change that did, else the commit of the range, else nobody known.

The answer has the form of an attribution, and its evidence and confidence mean the same: a deletion is the last change
of substance to a line. `absent` is evidence of its own: the later side never had the line, so nobody deleted it there.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple, TypeVar

from linetrail.ledger.files import digest
from linetrail.ledger.observe.substance import split
from linetrail.ledger.repository import Repository, file_path, stored_path
from linetrail.projections.blame.blame import Answer
from linetrail.projections.git.history import Blaming, GitLine, Objects, checked_out
from linetrail.projections.git.target import Target
from linetrail.projections.lines import evidence
from linetrail.projections.lines.align import Hashes
from linetrail.projections.lines.attribution import Attribution, Owner, classed, judge
from linetrail.projections.lines.replay import Replay
from linetrail.projections.lines.states import FOUND, SAME, Text, text_of
from linetrail.projections.lines.transitions import Claim, Transition
from linetrail.projections.survival.deleting_commits import ABSENT, STILL_THERE, UNCLEAR, Deleting, Gone
from linetrail.projections.survival.removals import Removals, followed
from linetrail.projections.survival.returning_lines import Returning
from linetrail.projections.survival.unread_changes import Unread
from linetrail.projections.tables.tables import Tables

_Said = TypeVar("_Said")

# What is said of a line that no commit of the range took away.
_NEVER: Mapping[Gone, Mapping[str, Any]] = {
    ABSENT: {"contributor_type": "none", "evidence": "absent"},
    UNCLEAR: {"contributor_type": "unknown", "evidence": "git"},
}

_NOBODY = Owner(None, (), mixed=False, relation=SAME)
_RECORDED_NAMES = "select distinct unnest([path, from_path]) as name from mutation_files"
_RENAMES = "select distinct from_path, path from mutation_files where op = 'rename'"


class Shrunk(NamedTuple):
    """A file that lost lines: the earlier content with all that is said of its lines, and what became of it.

    `after` is the later content, None where the file is gone; `numbers` are the lines that are gone, from 1.
    """

    before: Target
    answer: Answer
    after: Target | None
    numbers: Sequence[int]


class Deleters:
    """Answers for many files of one difference."""

    def __init__(self, repository: Repository, tables: Tables, store: Objects, deleting: Deleting) -> None:
        self._repository, self._tables, self._store, self._deleting = repository, tables, store, deleting
        self._recorded = {name for (name,) in tables.ask(_RECORDED_NAMES).rows}
        self._renames: dict[str, set[str]] = defaultdict(set)
        for old, new in tables.ask(_RENAMES).rows:
            self._renames[old].add(new)

    def gone(self, file: Shrunk) -> dict[int, Gone]:
        """Return what history says of the lines that are gone, and of all that are like one of them."""
        hashes = text_of(split(file.before.content)).hashes
        wanted = {hashes[number - 1] for number in file.numbers}
        lines = file.answer.git.lines
        alike = {number: lines[number - 1] for number, line in enumerate(hashes, 1) if line in wanted}
        return self._deleting.commits(alike, file.before.path, file.after and file.after.path)

    def deleters(self, file: Shrunk, told: dict[int, Gone]) -> list[Attribution]:
        """Return who took each line away; `told` is what history says."""
        lines = split(file.before.content)
        text = text_of(lines)
        names = self._deleting.names(file.before.path)
        returning = Returning(self._deleting, self._store, names, lines, file.after and split(file.after.content))
        lasting = {at: returning.lasting(text.hashes[at - 1], one) for at, one in told.items()}
        told = {at: one.gone for at, one in lasting.items()}
        again = {at: one.again for at, one in lasting.items() if one.again is not None}
        gone = _settled(file.numbers, text.hashes, {at: one for at, one in told.items() if one.ended})
        claims, back, replay = self._claims(file, text, told | gone, again)
        later = {at: returning.since(revision) for at, revision in back.items() if at in gone}
        gone |= {at: one for at, one in later.items() if one.ended or not self._deleting.committed}
        left = UNCLEAR if self._deleting.committed else STILL_THERE
        owners = [claims.get(number, _NOBODY) for number in file.numbers]
        ends = [self._end(one, gone.get(at, left)) for one, at in zip(owners, file.numbers, strict=True)]
        if replay is None or not replay.unread:
            return self._judged(owners, ends, None)
        unread = Unread(replay.unread, self._deleting, self._store)
        owners = [
            _of_unread(unread, one, file.after) if owner is _NOBODY else owner
            for owner, one in zip(owners, ends, strict=True)
        ]
        judged = self._judged(owners, ends, replay.unread_since)
        return [_doubted(by) if _is_presumed(by, unread) else by for by in judged]

    def _is_after(self, there: str | None, gone: Gone) -> bool:
        """Return whether what was recorded on top of a commit came after the commit that took a line away."""
        return bool(there and gone.revision and self._deleting.reaches(gone.revision, there))

    def _end(self, one: Owner, gone: Gone) -> Gone:
        """Give up a commit that took the line away before a change did that was recorded after it: it came back."""
        return STILL_THERE if self._is_after(one.claim and one.claim.vcs_revision, gone) else gone

    def _judged(self, owners: Sequence[Owner], gone: Sequence[Gone], unread_since: str | None) -> list[Attribution]:
        lines = [GitLine(one.revision, 0, "", None) for one in gone]
        commits = self._deleting.made(line.revision for line in lines if line.revision)
        recorded_on = self._tables.records.agents_on()
        agents = {revision: self._store.shows_agent(revision, recorded_on) for revision in commits}
        judged = judge(owners, lines, commits, agents, unread_since)
        classes = self._tables.records.classes({by.event_id for by in judged if by.event_id is not None})
        judged = classed(judged, classes)
        return [by if by.event_id else by._replace(**_NEVER.get(one, {})) for one, by in zip(gone, judged, strict=True)]

    def _claims(
        self, file: Shrunk, text: Text, gone: Mapping[int, Gone], again: Mapping[int, str]
    ) -> tuple[dict[int, Owner], dict[int, str], Replay | None]:
        """Return the recorded change that took each line away, with how sure it is that it was this line.

        And of lines that were seen after the commit that took them away, what was checked out then.
        """
        target = file.after or file.before
        names = {*self._later_names(file.before.path), *(stored_path(line.filename) for line in file.answer.git.lines)}
        if not self._recorded & {target.path, *names}:
            return {}, {}, None
        changes = evidence.transitions(self._repository, self._tables, target, map(file_path, names))
        replay = Replay(changes, evidence.base_contents(self._store))
        name = digest(file.before.content)
        known = replay.state(name) or replay.meet(name, text.hashes)
        state = known or replay.visits.relate(text, Claim())
        removals = Removals(replay, changes, file.after and file.after.content, self._by_hand)
        found: dict[int, Owner] = {}
        back: dict[int, str] = {}
        history = _History(self._repository, file.before)
        for number in gone:
            here = state.lines[number - 1]
            fits = partial(self._fits, history=history, number=number, gone=gone[number], again=again.get(number))
            within = partial(self._within, gone=gone[number])
            if known is None and here.origin is None:
                last, relation = removals.last_like(here, fits), FOUND
            else:
                (last, came), relation = removals.last(here, fits, within), followed(here)
                if came is not None and self._is_after(came, gone[number]):
                    back[number] = came
            if last is None:
                last, relation = removals.last_whole(fits), SAME
            if last is not None and last.seen:
                found[number] = Owner(last, (last,), mixed=False, relation=relation)
        return _settled(file.numbers, text.hashes, found), back, replay

    def _later_names(self, path: str) -> set[str]:
        """Return all that a file was called from the earlier side on, as git and the ledger know it."""
        names, left = {path}, [path]
        while left:
            name = left.pop()
            more = (self._renames.get(name, set()) | self._deleting.renames().get(name, set())) - names
            names |= more
            left += more
        return names

    def _fits(self, claim: Claim, history: "_History", number: int, gone: Gone, again: str | None) -> bool:
        """Return whether a change may have deleted a line: it was recorded before the later side, where the line was.

        A commit that was rewritten since says nothing.
        """
        there = claim.vcs_revision
        if there is None or gone.absent:
            return not gone.absent
        if not self._deleting.happened_before(there):
            return False
        if again is not None:
            return not self._deleting.holds(there) or self._deleting.reaches(again, there)
        if there == history.target.revision or not self._deleting.holds(there):
            return True
        came = history.came(number)
        return came is None or self._deleting.reaches(came, there)

    def _by_hand(self, change: Transition) -> bool:
        """Return whether a change that nobody was seen making left what no commit had: so git did not bring it."""
        there = change.claim.vcs_revision
        content = self._store.read(f"{there}:{file_path(change.path)}") if there else None
        return content is None or change.after_hash not in [digest(one) for one in checked_out(content)]

    def _within(self, claim: Claim, gone: Gone) -> bool:
        """Return whether a change was recorded on the way to the later side; one nobody was seen making proves more."""
        there = claim.vcs_revision
        if there is None:
            return True
        return self._deleting.happened_before(there) and (
            claim.seen or gone.revision is None or self._deleting.holds(there)
        )


class _History:
    """The commits that brought the lines of a content to where they are, found out when they are asked for.

    What says who wrote a line goes further back: past moves, and past a deletion that was taken back.
    """

    def __init__(self, repository: Repository, target: Target) -> None:
        self._repository, self.target = repository, target
        self._lines: Sequence[GitLine] | None = None

    def came(self, number: int) -> str | None:
        """Return the commit that brought a line, counted from 1."""
        if self._lines is None:
            with closing(Blaming(self._repository, self.target)) as blaming:
                self._lines = blaming.answer().lines
        return self._lines[number - 1].revision


def _of_unread(unread: Unread, gone: Gone, after: Target | None) -> Owner:
    """Return who took a line away where one change, of which no line is recorded, is all that came between."""
    claim = None
    if gone.revision is not None:
        claim = unread.made(gone.revision)
    elif not gone.ended and after is not None and after.revision is None:
        claim = unread.left(after)
    return Owner(claim, (claim,), mixed=False, relation=SAME) if claim else _NOBODY


def _is_presumed(by: Attribution, unread: Unread) -> bool:
    """Return whether a person is named for a deletion that an unread change of an agent may have made."""
    presumed = by.contributor_type == "human" and by.evidence == "git" and by.vcs_revision is not None
    return presumed and unread.may_be_in(by.vcs_revision)


def _doubted(by: Attribution) -> Attribution:
    return by._replace(contributor_type="unknown", confidence=0.0)


def _settled(numbers: Sequence[int], hashes: Hashes, said: Mapping[int, _Said]) -> dict[int, _Said]:
    """Keep what is said of these lines; of equal lines another one may have gone, then that one's word counts."""
    asked = set(numbers)
    spare: dict[str | None, list[_Said]] = defaultdict(list)
    for number in sorted(said.keys() - asked, reverse=True):
        spare[hashes[number - 1]].append(said[number])
    found = {}
    for number in numbers:
        if number in said:
            found[number] = said[number]
        elif spare[hashes[number - 1]]:
            found[number] = spare[hashes[number - 1]].pop()
    return found
