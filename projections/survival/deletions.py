"""Say who took each line away: the recorded change that did, else the commit of the range, else nobody known.

The answer has the form of an attribution, and its evidence and confidence mean the same: a deletion is the last change
of substance to a line. `absent` is evidence of its own: the later side never had the line, so nobody deleted it there.

A later commit may bring a line back before another deletes it for good. Only a line that was once in its file, and is
long enough to say something, can be known again: short ones come again by chance.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeVar

from linetrail.ledger.event.event import rfc3339
from linetrail.ledger.files import digest
from linetrail.ledger.observe.substance import Split, split
from linetrail.ledger.repository import Repository, file_path, stored_path
from linetrail.projections.blame.blame import Answer
from linetrail.projections.blame.moved_blocks import LEAST, weight
from linetrail.projections.closure import reached
from linetrail.projections.git.history import Blaming, GitLine, Objects, checked_out
from linetrail.projections.git.target import Target
from linetrail.projections.lines import evidence
from linetrail.projections.lines.align import Hashes
from linetrail.projections.lines.attribution import Attribution, Owner, classed, judge
from linetrail.projections.lines.replay import Replay
from linetrail.projections.lines.states import FOUND, SAME, Text, hashes_of, lines_of
from linetrail.projections.lines.transitions import Claim, Transition
from linetrail.projections.survival.deleting_commits import ABSENT, STILL_THERE, UNCLEAR, Deleting, Gone
from linetrail.projections.survival.removals import Removals, followed
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
_COMMITTED = re.compile(rb"^committer .* (\d+) [-+]\d+$", re.MULTILINE)
_TO_SECOND = len("2026-01-05T09:01:00")


class Unread:
    """The unread changes of agents to one file, in the order of the ledger.

    No line of such a change is recorded, as in a file too large to read; the ledger names the contents that it led
    from and to. What differs by just that is the agent's; any commit made after the change was recorded may hold it,
    whatever its author's clock said. Imported records are left out: the commit they name is often not the one they were
    made on.
    """

    def __init__(self, changes: Sequence[Transition], deleting: Deleting, store: Objects) -> None:
        self._changes = [change for change in changes if change.claim.via != "import"]
        self._deleting, self._store = deleting, store
        self._digest = lru_cache(None)(self._digest_at)
        self.made = lru_cache(None)(self._made)
        self.may_be_in = lru_cache(None)(self._may_be_in)

    def left(self, after: Target) -> Claim | None:
        """Return the claim of who alone made what is on the disk out of the last commit."""
        return self._between(after.head, lambda _: digest(after.content)) if after.head else None

    def _made(self, revision: str) -> Claim | None:
        """Return the claim of who alone made what a commit has out of what its only parent has."""
        parents = self._store.parents(revision)
        if len(parents) != 1:
            return None
        return self._between(parents[0], lambda path: self._digest(revision, path))

    def _may_be_in(self, revision: str) -> bool:
        """Return whether a commit may hold one of the changes: it came after the one on which that was recorded."""
        return any(self._came_before(change.claim, revision) for change in self._changes)

    def _came_before(self, claim: Claim, revision: str) -> bool:
        there = claim.vcs_revision
        if there is not None and self._deleting.holds(there):
            return there != revision and self._deleting.reaches(there, revision)
        # that commit was rewritten since; of those that may have taken its place, only the committer's clock is new
        found = _COMMITTED.search(self._headers(revision))
        committed = rfc3339(int(found[1]) * 1_000_000_000) if found else ""
        return committed[:_TO_SECOND] >= (claim.occurred_at or "")[:_TO_SECOND]

    def _between(self, revision: str, after: Callable[[str], str | None]) -> Claim | None:
        """Return who changed the content of a commit into the one `after`, in one go or in several of one session."""
        for at, first in enumerate(self._changes):
            if first.before_hash is None or first.before_hash != self._digest(revision, first.from_path or first.path):
                continue
            steps: list[Transition] = []
            for change in self._changes[at:]:
                if not steps or change.before_hash == steps[-1].after_hash:
                    steps.append(change)
                    if change.after_hash == after(change.path):
                        return _claim(steps)
        return None

    def _headers(self, revision: str) -> bytes:
        return (self._store.read(revision) or b"").partition(b"\n\n")[0]

    def _digest_at(self, revision: str, path: str) -> str | None:
        content = self._store.read(f"{revision}:{file_path(path)}")
        return None if content is None else digest(content)


class Lasting(NamedTuple):
    """What took a line away for good, and the last commit that had it again before that, if one had."""

    gone: Gone
    again: str | None = None


class Returning:
    """Answers for the lines of one file of a difference.

    `names` is what it was called; `before` are its lines on the earlier side, `after` those on the later one.
    """

    def __init__(
        self, deleting: Deleting, store: Objects, names: Iterable[str], before: Split, after: Split | None
    ) -> None:
        self._deleting, self._store, self._names = deleting, store, sorted(set(names))
        hashes = hashes_of(before)
        times = Counter(hashes) + Counter(hashes_of(after) if after else ())
        told = zip(hashes, before.substance, strict=True)
        self._once = {line for line, text in told if times[line] == 1 and weight(text) >= LEAST}
        self._in: dict[str, frozenset[str]] = {}
        self._later: dict[str, Sequence[str]] = {}

    def lasting(self, line: str | None, gone: Gone) -> Lasting:
        """Return what took a line with this hash away for good, where `gone` is what took it from its place."""
        if gone.revision is None or line not in self._once:
            return Lasting(gone)
        end = STILL_THERE
        for commit in reversed([gone.revision, *self._after(gone.revision)]):
            if line in self._lines(commit):
                return Lasting(end, commit) if end.ended or not self._deleting.committed else Lasting(gone)
            end = Gone(commit)
        return Lasting(gone)

    def since(self, revision: str) -> Gone:
        """Return what took a line away that was seen to be there on top of a commit, and in no later one."""
        return Gone(next(iter(self._after(revision)), None))

    def _after(self, revision: str) -> Sequence[str]:
        if revision not in self._later:
            self._later[revision] = self._deleting.later(revision, self._names)
        return self._later[revision]

    def _lines(self, revision: str) -> frozenset[str]:
        """Return those of the lines that can be known again which the file has in a commit."""
        if revision not in self._in:
            contents = (self._store.read(f"{revision}:{file_path(name)}") for name in self._names)
            lines = (line for content in contents if content for line in hashes_of(split(content)))
            self._in[revision] = frozenset(self._once.intersection(lines))
        return self._in[revision]


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
        hashes = lines_of(file.before.content)[1]
        wanted = {hashes[number - 1] for number in file.numbers}
        lines = file.answer.git.lines
        alike = {number: lines[number - 1] for number, line in enumerate(hashes, 1) if line in wanted}
        return self._deleting.commits(alike, file.before.path, file.after and file.after.path)

    def deleters(self, file: Shrunk, told: dict[int, Gone]) -> list[Attribution]:
        """Return who took each line away; `told` is what history says."""
        lines, hashes = lines_of(file.before.content)
        names = self._deleting.names(file.before.path)
        returning = Returning(self._deleting, self._store, names, lines, file.after and split(file.after.content))
        lasting = {at: returning.lasting(hashes[at - 1], one) for at, one in told.items()}
        told = {at: one.gone for at, one in lasting.items()}
        again = {at: one.again for at, one in lasting.items() if one.again is not None}
        gone = _settled(file.numbers, hashes, {at: one for at, one in told.items() if one.ended})
        claims, back, replay = self._claims(file, Text(hashes, lines), told | gone, again)
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
        changes = evidence.transitions(self._store, self._tables, target, map(file_path, names))
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
        renames = self._deleting.renames()
        return reached([path], lambda name: self._renames.get(name, set()) | renames.get(name, set()))

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


def _claim(steps: Sequence[Transition]) -> Claim | None:
    """Return the claim behind some changes; of several, none is known to be the one that counts."""
    last = steps[-1].claim
    if any(step.claim.session_id != last.session_id for step in steps):
        return None
    return last if len(steps) == 1 else last._replace(event_id=None, tool_call_id=None, tool_name=None)
