"""Walk back through the history of one definition, commit by commit, wherever it was and by whatever name.

Where commits left a definition alone nothing is parsed: its text is still there, once.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from linetrail.ledger.repository import Repository
from linetrail.projections.git.history import Objects
from linetrail.projections.nodes.commits import Commit, commits
from linetrail.projections.nodes.index import DefinitionIndex
from linetrail.projections.nodes.matches import SPLIT, Match
from linetrail.projections.nodes.origins import Origins
from linetrail.projections.nodes.sides import Place, located, stands

# So many histories of files are at hand.
KEPT = 32


class Step(NamedTuple):
    """One change of a definition, by a commit or, without one, in the work tree.

    `match` says what it was made from; None where it is new. `merged` were put into it.
    """

    after: Place
    commit: Commit | None
    match: Match | None
    merged: Sequence[Match] = ()

    @property
    def source(self) -> Place | None:
        """What it was before; None where it began."""
        return None if self.match is None or SPLIT in self.match.kinds else self.match.before

    @property
    def happened(self) -> bool:
        """Whether it is another than before."""
        return self.match is None or bool(self.match.kinds or self.merged)


class _Point(NamedTuple):
    """A definition as a commit has it, with the commits of its file up to there.

    Its place may be that in a later content, where its text is the same.
    """

    place: Place
    commit: Commit
    past: Mapping[str, Commit]

    @property
    def name(self) -> tuple[str, str, str]:
        """What tells it from others."""
        return self.commit.revision, self.place.path, self.place.definition.qualified


class Walk:
    """The way back from any definition of one repository."""

    def __init__(self, repository: Repository, store: Objects, indexed: DefinitionIndex) -> None:
        self._indexed, self._origins = indexed, Origins(repository, store, indexed)
        self._past = lru_cache(KEPT)(partial(commits, repository))

    def read(self, revision: str, path: str) -> bytes | None:
        """Return what a commit has at a path."""
        return self._origins.read(revision, path)

    def steps(self, place: Place, revision: str | None, head: str | None) -> Iterator[Step]:
        """Yield the changes of a definition, the last one first; `revision` has it, or the work tree above `head`."""
        if revision is None:
            content = self._origins.read(head, place.path) if head else None
            step = self._made(place, None, content, head)
            if step.happened:
                yield step
            if step.source is None:
                return
            place = step.source
        yield from self._committed(self._points(place, revision or head or ""))

    def latest(self, revision: str, path: str) -> Commit | None:
        """Return the last commit up to a revision that changed a file."""
        return next(iter(self._past(revision, path).values()), None)

    def _committed(self, points: Sequence[_Point]) -> Iterator[Step]:
        """Follow all branches at once, what was committed last first."""
        waiting = list(points)
        met = {point.name for point in points}
        while waiting:
            latest = max(waiting, key=lambda point: point.commit.author_time)
            waiting.remove(latest)
            step, points = self._back(latest)
            waiting += [point for point in points if point.name not in met]
            met.update(point.name for point in points)
            if step is not None:
                yield step

    def _back(self, point: _Point) -> tuple[Step | None, Sequence[_Point]]:
        """Return what a commit did to a definition, if anything, and where it was before."""
        commit, path = point.commit, point.place.path
        contents = [(name, self._origins.read(name, path)) for name in commit.parents]
        before: dict[str, bytes | None] = {name: content for name, content in contents if content is not None}
        still = next((name for name, content in before.items() if content and stands(point.place, content)), None)
        if still is not None:
            return None, [point._replace(commit=point.past[still])]
        place = self._here(point)
        made = {name: self._made(place, commit, content) for name, content in (before or {"": None}).items()}
        same = next((name for name, step in made.items() if not step.happened), None)
        if same is not None:
            made = {same: made[same]}
        points = [one for name, step in made.items() for one in self._sources(point, name, step)]
        best = max(made.values(), key=lambda step: step.match.share if step.match else -1.0)
        return (best if best.happened else None), points

    def _sources(self, point: _Point, parent: str, step: Step) -> Sequence[_Point]:
        if step.source is None:
            return []
        if parent and step.source.path == point.place.path:
            return [_Point(step.source, point.past[parent], point.past)]
        return self._points(step.source, f"{point.commit.revision}^")

    def _points(self, place: Place, revision: str) -> Sequence[_Point]:
        """Return where a definition's history begins, which a revision has."""
        commit = self.latest(revision, place.path)
        return [_Point(place, commit, self._past(revision, place.path))] if commit else []

    def _made(self, place: Place, commit: Commit | None, content: bytes | None, head: str | None = None) -> Step:
        match, merged = self._origins.of(place, content, commit and commit.revision, head)
        return Step(place, commit, match, merged)

    def _here(self, point: _Point) -> Place:
        """Return the place of a definition in the very content that a commit has."""
        content = self._origins.read(point.commit.revision, point.place.path)
        return located(point.place, self._indexed.side(point.place.path, content or b""))
