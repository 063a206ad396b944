"""Find the recorded owner of each line of a content, while git works out which commit it comes from."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from linetrail.ledger.files import digest
from linetrail.ledger.repository import Repository, file_path, stored_path
from linetrail.projections.blame.other_files import Elsewhere, Here
from linetrail.projections.git.blames import Answered, Blames
from linetrail.projections.git.history import Blamed, Blaming, Objects
from linetrail.projections.git.target import Target
from linetrail.projections.lines import evidence
from linetrail.projections.lines.align import MIN_RUN, trivial
from linetrail.projections.lines.attribution import NOBODY, Attribution, Owner, explain, owner
from linetrail.projections.lines.causality import Causality, made_at
from linetrail.projections.lines.corrections import Corrections
from linetrail.projections.lines.evidence import Snapshots
from linetrail.projections.lines.external import Notes
from linetrail.projections.lines.refused_writes import RefusedWrites
from linetrail.projections.lines.replay import Replay
from linetrail.projections.lines.states import FOUND, MOVED, NODE, REFLOWED, lines_of, text_of
from linetrail.projections.lines.transitions import IMPORT
from linetrail.projections.tables.tables import Tables

# So many commits that git names for lines of a file are asked what they had there.
MAX_COMMITS = 32


class Recorded(NamedTuple):
    """What ledger and git say of a content, line by line.

    `names` are those that the file had, `asked` the places of the lines that are asked about. `unread_since` is when an
    agent may first have written what has no owner; None where that cannot be. `here` and `replay` are what the owners
    were found in, if any; `disproved` counts the lines whose recorded owner cannot have written them.
    """

    owners: Sequence[Owner]
    git: Blamed
    names: frozenset[str]
    asked: Sequence[int]
    unread_since: str | None
    here: Here | None = None
    replay: Replay | None = None
    disproved: int = 0

    @property
    def unseen(self) -> Sequence[int]:
        """The lines that nobody was seen writing."""
        return [at for at in self.asked if not _is_seen(self.owners[at])]

    @property
    def unobserved(self) -> Sequence[int]:
        """These, and those of which only the record of a session tells that they were written."""
        return [
            at for at in self.asked if (claim := self.owners[at].claim) is None or not claim.seen or claim.via == IMPORT
        ]


class Owners:
    """Who is recorded as the author of the lines of any content of one repository."""

    def __init__(self, repository: Repository, tables: Tables, store: Objects, blames: Blames) -> None:
        self._tables, self._store = tables, store
        self._snapshots = Snapshots(tables, store)
        self._causality = Causality(repository)
        self._elsewhere = Elsewhere(repository, tables, store, blames, self._snapshots, self._causality)
        self.notes = Notes(tables)
        self.corrections = Corrections(repository, tables)
        self.refused = RefusedWrites(repository, tables, store)
        self._has_lines: bool | None = None

    @property
    def agents_on(self) -> frozenset[str]:
        """The commits on which some agent was recorded changing a file."""
        return self._tables.records.agents_on()

    @property
    def beside(self) -> frozenset[str]:
        """The other files of the work tree that were looked at since a content was last asked about."""
        return frozenset(self._elsewhere.beside)

    def classes(self, judged: Iterable[Attribution]) -> Mapping[str, str]:
        """Return what the changes that wrote these lines were judged to be, by event."""
        if self._tables.are_empty(("classifications", "correction_records")):
            return {}
        return self._tables.records.classes({by.event_id for by in judged if by.event_id is not None})

    def find(self, target: Target, blaming: Blaming | Answered, *, whole: bool = True) -> Recorded:
        """Find the owners of the lines of a content; former names of the file that git knows bring more to light.

        Where the `whole` content is not asked about, the lines are that no commit has.
        """
        self._elsewhere.beside.clear()
        git = blaming.answer()
        lines = range(len(git.lines))
        asked = lines if whole else [at for at in lines if git.lines[at].revision is None]
        former = {line.filename for line in git.lines} - {file_path(target.path)}
        names = evidence.names(self._store, self._tables, target, former)
        replay = self._snapshots.of(names)
        under = frozenset([target.path, *map(stored_path, former), *names])
        if replay.is_empty and not self._have_lines():
            return Recorded([NOBODY] * len(git.lines), git, under, asked, replay.unread_since)
        content, hashes = lines_of(target.content)
        owners = [NOBODY] * len(content.lines)
        if not replay.is_empty:
            earlier = partial(evidence.earlier_texts, self._store, target, git, replay)
            owners = explain(replay, target.content, earlier)
        made = {one: made_at(by) for one, by in git.commits.items()}
        here = Here(target, under, hashes, owners, git, made, asked, content)
        given_up = list(self._given_up(here, replay))
        owners = [*owners]
        for at in given_up:
            owners[at] = NOBODY
        for at, one in self._in_commits(here, replay, git, given_up, alone=True):
            owners[at] = one._replace(relation=FOUND)
        here = here._replace(owners=self._elsewhere.explain(here._replace(owners=owners)))
        return Recorded(here.owners, git, under, asked, replay.unread_since, here, replay, len(given_up))

    def _have_lines(self) -> bool:
        """Look once: where no line of any file is recorded, none can have come from another one."""
        if self._has_lines is None:
            self._has_lines = bool(self._tables.ask("select 1 from line_hashes limit 1").rows)
        return self._has_lines

    def _given_up(self, here: Here, replay: Replay) -> Iterator[int]:
        """Yield the lines whose owner cannot have written what git has of them.

        A hook may have seen a line go before it saw it come: then it is another one than git's.
        """
        for at in here.asked:
            claim = here.owners[at].claim
            if claim is None or not claim.seen or self._causality.allows(claim, here.lines[at].revision, here.made(at)):
                continue
            if claim.via == IMPORT or here.hashes[at] not in replay.visits.lost:
                yield at

    def before_moves(self, recorded: Recorded, moved: Blamed) -> tuple[Recorded, Blamed]:
        """Give up the owners of lines that stood elsewhere before they can have written them.

        Return as well what git says: of these lines and of those that nobody was seen writing, where they were `moved`
        from.
        """
        owners, lines = [*recorded.owners], [*recorded.git.lines]
        commits = {**recorded.git.commits, **moved.commits}
        for at in recorded.unobserved:
            revision, claim = moved.lines[at].revision, owners[at].claim
            if claim is not None and claim.seen:
                if revision is None or self._causality.allows(claim, revision, made_at(commits[revision])):
                    continue
                owners[at] = NOBODY
            lines[at] = moved.lines[at]
        given_up = sum(one is not two for one, two in zip(owners, recorded.owners, strict=True))
        left = {line.revision for line in lines}
        git = Blamed(lines, {revision: commit for revision, commit in commits.items() if revision in left})
        return recorded._replace(owners=owners, disproved=recorded.disproved + given_up), git

    def as_committed(self, recorded: Recorded, git: Blamed, by_node: Collection[int] = ()) -> list[Owner]:
        """Ask for lines that nobody was seen writing in the commits that git names, if those know equal ones.

        Where `git` followed a line into another file, or past a commit that broke it anew, it need not be equal.
        `by_node` are those that were only followed with the definition around them.
        """
        here, found = recorded.here, list(recorded.owners)
        if here is None or recorded.replay is None:
            return found
        left = [at for at in here.asked if not _is_seen(found[at])]
        for at, one in self._in_commits(here, recorded.replay, git, left):
            found[at] = one._replace(relation=NODE if at in by_node else _relation(here, git, at))
        return self._elsewhere.brought(here, found)

    def _in_commits(
        self, here: Here, own: Replay, git: Blamed, lines: Iterable[int], *, alone: bool = False
    ) -> Iterator[tuple[int, Owner]]:
        """Yield the owners that lines had in the commits that have them, from what was recorded until then.

        Single lines that stand in several places tell nothing, so commits are asked for those `alone` where so told.
        """
        places: dict[tuple[str, str], list[int]] = defaultdict(list)
        for at in lines:
            revision, _, filename, _ = git.lines[at]
            if revision is not None:
                places[revision, filename].append(at)
        made = {revision: made_at(commit) for revision, commit in git.commits.items()}
        asked = 0
        for (revision, filename), group in places.items():
            is_own = stored_path(filename) in here.names
            replay = own if is_own else self._elsewhere.replay(stored_path(filename), here.target)
            known = [at for at in group if _may_know(replay, here, git, at, made[revision])]
            if not known or not (alone or _tell(known, here.hashes)) or asked >= MAX_COMMITS:
                continue
            content = self._store.read(f"{revision}:{filename}")
            if content is None:
                continue
            asked += 1
            committed = replay.explain(digest(content), text_of(content), until=made[revision]).lines
            for at in group:
                number = git.lines[at].original_line
                one = owner(committed[number - 1]) if number <= len(committed) else NOBODY
                claim = one.claim
                if claim is not None and claim.seen and self._causality.allows(claim, revision, made[revision]):
                    yield at, one


def _may_know(replay: Replay, here: Here, git: Blamed, at: int, made: str) -> bool:
    """Return whether a line says something and was written by somebody who was seen, before a commit was made."""
    if trivial(here.hashes[at]):
        return False
    if git.lines[at] != here.git.lines[at]:
        return bool(replay.visits.states)
    since = replay.visits.claimed.get(here.hashes[at])
    return since is not None and since <= made


def _tell(places: Sequence[int], hashes: Sequence[str]) -> bool:
    """Return whether lines say where they come from: several do, or one that stands in one place alone."""
    return len(places) >= MIN_RUN or any(hashes.count(hashes[at]) == 1 for at in places)


def _relation(here: Here, git: Blamed, at: int) -> str:
    if git.lines[at] == here.git.lines[at]:
        return FOUND
    return MOVED if git.lines[at].filename != here.git.lines[at].filename else REFLOWED


def _is_seen(one: Owner) -> bool:
    return one.claim is not None and one.claim.seen
