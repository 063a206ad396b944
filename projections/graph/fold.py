"""Put the records of all commits together: which definitions there are, and the versions of each.

Each commit is told after those before it. A definition has a number here; its id follows from its first version. A file
has the last version of each of its definitions, and every version knows those before it.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from linetrail.projections.closure import reached
from linetrail.projections.graph.commits import Entry, State
from linetrail.projections.graph.record import By, File, Happened, Record, Told, source
from linetrail.projections.nodes.commits import Changed, Commit
from linetrail.projections.nodes.versions import CREATED, FOUND

DELETED = "deleted"
# Of what is not followed.
NO_VERSION = -1


class Stated(NamedTuple):
    """One version of a definition, and the commit that has it; of one that was deleted, the last version it had.

    `before` are the versions that it was made from, by their places among all: several where branches came together.
    """

    node: int
    change: str
    told: Told
    commit: Commit
    language: str
    before: Sequence[int]
    by: By | None

    @property
    def is_gone(self) -> bool:
        """Whether it is no more."""
        return self.change == DELETED


class Related(NamedTuple):
    """What a version of a definition has of another one, or of itself under its former name or in its former place."""

    version: int
    other: int
    edge: str
    evidence: str
    confidence: float


class Fold:
    """All that happened up to a commit. `cut` are the commits where a shallow clone ends."""

    def __init__(self, commits: Iterable[Commit], cut: frozenset[str]) -> None:
        self.ids: list[str] = []
        self.versions: list[Stated] = []
        self.related: list[Related] = []
        self._cut = cut
        self._waiting = Counter(parent for commit in commits for parent in commit.parents)
        self._states: dict[str, dict[str, Entry]] = {}
        self._numbers: dict[str, int] = {}
        self._ended: dict[int, int] = {}

    def states(self, commit: Commit) -> list[State]:
        """Return what the parents of a commit have."""
        return [self._states.get(parent, {}) for parent in commit.parents]

    def state(self, revision: str) -> State:
        """Return what a commit has that is nobody's parent yet."""
        return self._states.get(revision, {})

    def id_of(self, version: int) -> str:
        """Return the id of the definition that this is a version of."""
        return self.ids[self.versions[version].node]

    def standing(self, revision: str) -> list[int]:
        """Return the versions that led to what a commit has, and those of what is no more, each after those before it.

        What was done on a branch and is nowhere in what was merged is left out, as `git log PATH` does.
        """
        waiting = [at for entry in self.state(revision).values() for at in entry.versions if at != NO_VERSION]
        there = {self.versions[at].node for at in waiting}
        waiting += [at for node, at in self._ended.items() if node not in there]
        return sorted(reached(waiting, lambda at: self.versions[at].before))

    def add(self, commit: Commit, changed: Sequence[Changed], record: Record) -> None:
        """Let one more commit happen, the parents of which have happened."""
        before = self.states(commit)
        files = {file.path: file for file in record.files}
        new = {one.new: entry for one in changed if one.new and (entry := self._entry(one, before, commit, files))}
        state = self._taken(commit)
        gone = {
            one.old: state[one.old] for one in changed if one.old in state and (len(before) == 1 or one.old in files)
        }
        for one in changed:
            state.pop(one.old or "", None)
        state |= new
        self._states[commit.revision] = state
        kept = {self.versions[at].node for entry in new.values() for at in entry.versions}
        by = {(one.path, one.at): one.by for one in record.gone}
        for path, entry in gone.items():
            for at, version in enumerate(entry.versions):
                last = self.versions[version]
                if version != NO_VERSION and last.node not in kept:
                    ended = Stated(last.node, DELETED, last.told, commit, last.language, (version,), by.get((path, at)))
                    self._ended[last.node] = self._state(ended)

    def _entry(self, one: Changed, before: Sequence[State], commit: Commit, files: dict[str, File]) -> Entry | None:
        path, blob = one.new or "", one.new_blob or ""
        if path not in files:
            same = (state.get(path) for state in before[1:])
            return next((entry for entry in same if entry is not None and entry.blob == blob), None)
        file = files[path]
        happened = {one.at: one for one in file.happened}
        versions = []
        for at, told in enumerate(file.sources):
            former = NO_VERSION if told is None else _at(source(told, path), before)
            what = happened.get(at)
            versions.append(former if what is None else self._tell(former, what, before, commit, file))
        return Entry(blob, commit.revision, versions)

    def _node(self, first: Told) -> int:
        """Return the number of a definition that begins with a version."""
        name = _id(first)
        if name not in self._numbers:
            self._numbers[name] = len(self.ids)
            self.ids.append(name)
        return self._numbers[name]

    def _tell(self, former: int, happened: Happened, before: Sequence[State], commit: Commit, file: File) -> int:
        """State the versions that a commit made of a definition, and return the last one."""
        last = former
        node = self._node(happened.versions[0]) if former == NO_VERSION else self.versions[former].node
        others = [_at(source(other, file.path), before) for other in happened.others]
        for at, told in enumerate(happened.versions):
            begins = at == 0 and told.former is None and commit.revision in self._cut
            change = told.change.replace(CREATED, FOUND) if begins else told.change
            made_from = [one for one in [last, *(others if at == 0 else ())] if one != NO_VERSION]
            last = self._state(Stated(node, change, told, commit, file.language, made_from, told.by))
            self.related += _became(last, told)
        for link in happened.links:
            other = _at(source(link.source, file.path), before)
            if other != NO_VERSION and self.versions[other].node != node:
                self.related.append(Related(last, other, link.edge, link.evidence, link.confidence))
        return last

    def _state(self, stated: Stated) -> int:
        self.versions.append(stated)
        return len(self.versions) - 1

    def _taken(self, commit: Commit) -> dict[str, Entry]:
        """Return what the first parent has, to be changed; the last child of a commit takes its state over."""
        taken: dict[str, Entry] = {}
        for at, parent in enumerate(commit.parents):
            self._waiting[parent] -= 1
            last = not self._waiting[parent]
            state = self._states.pop(parent, {}) if last else self._states.get(parent, {})
            if at == 0:
                taken = state if last else dict(state)
        return taken


def _became(version: int, told: Told) -> Iterator[Related]:
    """Record that a definition is the one that had another name, or another place."""
    for change in told.change.split(", "):
        if change in {"renamed", "moved"}:
            yield Related(version, version, f"{change}_from", told.evidence, told.likeness)


def _at(told: tuple[int, str, int], before: Sequence[State]) -> int:
    parent, path, at = told
    entry = before[parent].get(path) if parent < len(before) else None
    return entry.versions[at] if entry is not None and at < len(entry.versions) else NO_VERSION


def _id(first: Told) -> str:
    """Name a definition by where it was seen first, as `nodes.lineage` does."""
    told = f"{first.path}\0{first.qualified}\0{first.state}"
    return hashlib.sha256(told.encode(errors="surrogateescape")).hexdigest()[:16]
