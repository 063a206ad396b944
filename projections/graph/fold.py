"""Put the records of all commits together: which definitions there are, and the versions of each.

Each commit is told after those before it. A definition has a number here; its id follows from its first version.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from linetrail.projections.graph.commits import Entry, State
from linetrail.projections.graph.record import File, Happened, Record, Told, source
from linetrail.projections.nodes.past import Changed, Commit
from linetrail.projections.nodes.versions import CREATED, FOUND

DELETED = "deleted"
# Of what is not followed.
NO_NODE = -1


class Stated(NamedTuple):
    """One version of a definition, and the commit that has it; of one that was deleted, the last version it had."""

    node: int
    change: str
    told: Told
    commit: Commit
    language: str

    @property
    def is_gone(self) -> bool:
        """Whether it is no more."""
        return self.change == DELETED


class Related(NamedTuple):
    """What one definition has of another, or of itself under its former name or in its former place."""

    node: int
    other: int
    edge: str
    path: str
    evidence: str
    confidence: float
    commit: Commit


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
        self._latest: dict[int, Stated] = {}

    def states(self, commit: Commit) -> list[State]:
        """Return what the parents of a commit have."""
        return [self._states.get(parent, {}) for parent in commit.parents]

    def state(self, revision: str) -> State:
        """Return what a commit has that is nobody's parent yet."""
        return self._states.get(revision, {})

    def add(self, commit: Commit, changed: Sequence[Changed], record: Record) -> None:
        """Let one more commit happen, the parents of which have happened."""
        before = self.states(commit)
        files = {file.path: file for file in record.files}
        new = {one.new: entry for one in changed if one.new and (entry := self._entry(one, before, commit, files))}
        state = self._taken(commit)
        gone = [state[one.old] for one in changed if one.old in state and (len(before) == 1 or one.old in files)]
        for one in changed:
            state.pop(one.old or "", None)
        state |= new
        self._states[commit.revision] = state
        kept = {node for entry in new.values() for node in entry.nodes}
        for node in dict.fromkeys(node for entry in gone for node in entry.nodes):
            if node not in kept and node != NO_NODE and self._latest[node].change != DELETED:
                self._state(self._latest[node]._replace(change=DELETED, commit=commit))

    def latest(self, node: int) -> Stated:
        """Return the last version of a definition."""
        return self._latest[node]

    def _entry(self, one: Changed, before: Sequence[State], commit: Commit, files: dict[str, File]) -> Entry | None:
        path, blob = one.new or "", one.new_blob or ""
        if path not in files:
            same = (state.get(path) for state in before[1:])
            return next((entry for entry in same if entry is not None and entry.blob == blob), None)
        file = files[path]
        happened = {one.at: one for one in file.happened}
        nodes = [
            self._node(None if told is None else source(told, path), before, happened.get(at))
            for at, told in enumerate(file.sources)
        ]
        for at, node in enumerate(nodes):
            if at in happened:
                self._tell(node, happened[at], before, commit, file)
        return Entry(blob, commit.revision, nodes)

    def _node(self, told: tuple[int, str, int] | None, before: Sequence[State], happened: Happened | None) -> int:
        """Return the number of a definition: that of what it was before, else one for its first version."""
        former = _at(told, before) if told else NO_NODE
        if former != NO_NODE or happened is None:
            return former
        name = _id(happened.versions[0])
        if name not in self._numbers:
            self._numbers[name] = len(self.ids)
            self.ids.append(name)
        return self._numbers[name]

    def _tell(self, node: int, happened: Happened, before: Sequence[State], commit: Commit, file: File) -> None:
        for at, told in enumerate(happened.versions):
            begins = at == 0 and told.former is None and commit.revision in self._cut
            change = told.change.replace(CREATED, FOUND) if begins else told.change
            self._state(Stated(node, change, told, commit, file.language))
            self.related += _became(node, told, commit)
        for link in happened.links:
            other = _at(source(link.source, file.path), before)
            if other not in {NO_NODE, node}:
                self.related.append(Related(node, other, link.edge, file.path, link.evidence, link.confidence, commit))

    def _state(self, stated: Stated) -> None:
        self.versions.append(stated)
        self._latest[stated.node] = stated

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


def _became(node: int, told: Told, commit: Commit) -> Iterator[Related]:
    """Tell that a definition is the one that had another name, or another place."""
    for change in told.change.split(", "):
        if change in {"renamed", "moved"}:
            yield Related(node, node, f"{change}_from", told.path, told.evidence, told.likeness, commit)


def _at(told: tuple[int, str, int], before: Sequence[State]) -> int:
    parent, path, at = told
    entry = before[parent].get(path) if parent < len(before) else None
    return entry.nodes[at] if entry is not None and at < len(entry.nodes) else NO_NODE


def _id(first: Told) -> str:
    """Name a definition by where it was seen first, as `nodes.lineage` does."""
    told = f"{first.path}\0{first.qualified}\0{first.state}"
    return hashlib.sha256(told.encode(errors="surrogateescape")).hexdigest()[:16]
