"""Find the recorded owner of each line of a content, while git works out which commit it comes from."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from linetrail.ledger.content import digest
from linetrail.ledger.repository import Repository, file_path, stored_path
from linetrail.ledger.substance import split
from linetrail.projections import evidence
from linetrail.projections.align import trivial
from linetrail.projections.elsewhere import Elsewhere, Here
from linetrail.projections.external import Notes
from linetrail.projections.history import Blamed, Blaming, Objects
from linetrail.projections.lines import NOBODY, Attribution, Owner, explain
from linetrail.projections.refused_writes import RefusedWrites
from linetrail.projections.replay import Replay
from linetrail.projections.states import FOUND, MOVED, NODE, REFLOWED, hashes_of
from linetrail.projections.tables import Tables
from linetrail.projections.target import Target

# So many commits that git names for lines of a file are asked what they had there.
MAX_COMMITS = 8


class Recorded(NamedTuple):
    """What ledger and git say of a content, line by line.

    `unread_since` is when an agent may first have written what has no owner; None where that cannot be. `here` and
    `replay` are what the owners were found in, if any.
    """

    owners: list[Owner]
    git: Blamed
    unread_since: str | None
    here: Here | None = None
    replay: Replay | None = None


class Owners:
    """Who is recorded as the author of the lines of any content of one repository."""

    def __init__(self, repository: Repository, tables: Tables, store: Objects) -> None:
        self._repository, self._tables, self._store = repository, tables, store
        self._elsewhere = Elsewhere(repository, tables, store)
        self.notes = Notes(tables)
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
        return self._tables.records.classes({by.event_id for by in judged if by.event_id is not None})

    def find(self, target: Target, blaming: Blaming) -> Recorded:
        """Replay the ledger while git is at work; what git says of former names may bring more of it to light."""
        self._elsewhere.beside.clear()
        changes = evidence.transitions(self._repository, self._tables, target)
        replay = Replay(changes, evidence.base_contents(self._store))
        git = blaming.answer()
        former = {line.filename for line in git.lines} - {file_path(target.path)}
        if former:
            under_all_names = evidence.transitions(self._repository, self._tables, target, former)
            if under_all_names != changes:
                changes = under_all_names
                replay = Replay(changes, evidence.base_contents(self._store))
        if not changes and not self._have_lines():
            return Recorded([NOBODY] * len(git.lines), git, None)
        content, name = split(target.content), digest(target.content)
        hashes, owners = hashes_of(content), [NOBODY] * len(content.lines)
        if changes:
            earlier = {} if replay.knows(name) else evidence.earlier_texts(self._store, target, git, replay)
            owners = explain(replay, name, content, earlier)
        names = {target.path, *map(stored_path, former), *(change.path for change in changes)}
        here = Here(target, frozenset(names), hashes, owners, git.lines)
        owners = self._elsewhere.explain(here)
        return Recorded(owners, git, replay.unread_since, here, replay)

    def _have_lines(self) -> bool:
        """Look once: where no line of any file is recorded, none can have come from another one."""
        if self._has_lines is None:
            self._has_lines = bool(self._tables.ask("select 1 from line_hashes limit 1").rows)
        return self._has_lines

    def as_committed(self, recorded: Recorded, git: Blamed, by_node: Collection[int] = ()) -> list[Owner]:
        """Ask for lines that nobody was seen writing in the commits that git names, if those know equal ones.

        Where `git` followed a line into another file, or past a commit that broke it anew, it need not be equal.
        `by_node` are those that were only followed with the definition around them.
        """
        here, replay_here, found = recorded.here, recorded.replay, list(recorded.owners)
        if here is None or replay_here is None:
            return found
        places: dict[tuple[str, str], list[int]] = defaultdict(list)
        for at, (revision, _, filename, _) in enumerate(git.lines):
            # what was somebody's here, and is nobody's now, was brought from another file
            asked_here = not _is_seen(here.owners[at]) or stored_path(filename) not in here.names
            if revision is not None and asked_here and not _is_seen(found[at]) and not trivial(here.hashes[at]):
                places[revision, filename].append(at)
        asked = 0
        for (revision, filename), lines in places.items():
            own = stored_path(filename) in here.names
            replay = replay_here if own else self._elsewhere.replay(stored_path(filename), here.target)
            known = [at for at in lines if here.hashes[at] in replay.visits.claimed or git.lines[at] != here.lines[at]]
            content = self._store.read(f"{revision}:{filename}") if known and asked < MAX_COMMITS else None
            if content is None:
                continue
            asked += 1
            committed = explain(replay, digest(content), split(content), {})
            for at in known:
                number = git.lines[at].original_line
                if number <= len(committed) and _is_seen(committed[number - 1]):
                    found[at] = committed[number - 1]._replace(
                        relation=NODE if at in by_node else _relation(here, git, at)
                    )
        return self._elsewhere.brought(here, found)


def _relation(here: Here, git: Blamed, at: int) -> str:
    if git.lines[at] == here.lines[at]:
        return FOUND
    return MOVED if git.lines[at].filename != here.lines[at].filename else REFLOWED


def _is_seen(one: Owner) -> bool:
    return one.claim is not None and one.claim.seen
