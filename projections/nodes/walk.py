"""Walk back through the history of one definition, commit by commit, wherever it was and by whatever name.

Where commits left a definition alone nothing is parsed: its text is still there, once.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from linetrail.ledger.repository import Repository, file_path
from linetrail.projections.history import Objects
from linetrail.projections.nodes.indexed import Indexed
from linetrail.projections.nodes.past import Changed, Commit, changed_by, changed_since, commits
from linetrail.projections.nodes.sides import Place, Side
from linetrail.projections.nodes.still import located, stands
from linetrail.projections.nodes.texts import plain
from linetrail.projections.nodes.tracking import EDITED, SPLIT, Match, cut_out, follow, past_of, put_in
from linetrail.projections.syntax.language import language_of
from linetrail.projections.target import on_disk

# So many lines of a definition tell in which files it may have been.
TELLING_LINES = 8
# So many files of one commit are looked into, and so many histories of files are at hand.
MAX_FILES, KEPT = 200, 32
# Such a share of its lines leaves no doubt that a definition is the one of its name.
SURE = 0.6

# All files of a step that may tell where something comes from: before it, after it, and which got another name.
_Whole = tuple[Sequence[Side], Sequence[Side], Mapping[str, str]]


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

    def __init__(self, repository: Repository, store: Objects, indexed: Indexed) -> None:
        self._repository, self._store, self._indexed = repository, store, indexed
        self._past = lru_cache(KEPT)(partial(commits, repository))

    def steps(self, place: Place, revision: str | None, head: str | None) -> Iterator[Step]:
        """Yield the changes of a definition, the last one first; `revision` has it, or the work tree above `head`."""
        if revision is None:
            content = self.read(head, place.path) if head else None
            step = self._made(place, None, content, lambda: self._uncommitted(place, head))
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
        contents = [(name, self.read(name, path)) for name in commit.parents]
        before: dict[str, bytes | None] = {name: content for name, content in contents if content is not None}
        still = next((name for name, content in before.items() if content and stands(point.place, content)), None)
        if still is not None:
            return None, [point._replace(commit=point.past[still])]
        place = self._here(point)
        made = {
            name: self._made(place, commit, content, lambda: self._whole(place, commit.revision))
            for name, content in (before or {"": None}).items()
        }
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

    def _made(self, place: Place, commit: Commit | None, content: bytes | None, whole: Callable[[], _Whole]) -> Step:
        """Say what a definition was made from: in its own file, else in any file of the whole step."""
        near = follow([self._indexed.side(place.path, content)], [place.side]) if content is not None else []
        found = past_of(place, near)
        if found is None or not _is_sure(found):
            before, after, renamed = whole()
            wide = follow(before, after, renamed)
            found = past_of(place, wide) or found or cut_out(place, near) or cut_out(place, wide)
        return Step(place, commit, found, put_in(place, near))

    def _here(self, point: _Point) -> Place:
        """Return the place of a definition in the very content that a commit has."""
        content = self.read(point.commit.revision, point.place.path)
        return located(point.place, self._indexed.side(point.place.path, content or b""))

    def _whole(self, place: Place, revision: str) -> _Whole:
        changed = changed_by(self._repository, revision)
        return self._sides(place, changed, lambda one: self._store.read(one.new_blob or ""))

    def _uncommitted(self, place: Place, head: str | None) -> _Whole:
        changed = changed_since(self._repository, head) if head else []
        return self._sides(place, changed, lambda one: on_disk(self._repository, one.new or ""))

    def _sides(self, place: Place, changed: Sequence[Changed], now: Callable[[Changed], bytes | None]) -> _Whole:
        """Read the files of a step that have lines of a definition; it was in one of them, if anywhere."""
        side, before, after = place.side, [], [place.side]
        telling = _telling(place)
        renamed = {one.old: one.new for one in changed if one.old and one.new and one.old != one.new}
        for one in sorted(changed, key=lambda one: one.new != side.path)[:MAX_FILES]:
            content = self._store.read(one.old_blob) if one.old and one.old_blob else None
            if one.old is None or content is None or language_of(one.old, content) is None:
                continue
            if one.new == side.path or any(line in content for line in telling):
                before.append(self._indexed.side(one.old, content))
                if one.new is not None and one.new != side.path:
                    after.append(self._indexed.side(one.new, now(one) or b""))
        return before, after, renamed

    def read(self, revision: str, path: str) -> bytes | None:
        """Return what a commit has at a path."""
        content = self._store.read(f"{revision}:{file_path(path)}")
        return None if content is None else plain(content)


def _is_sure(match: Match) -> bool:
    """Tell whether no other file needs to be asked for a definition: it is not only the one of its name."""
    return match.kinds != (EDITED,) or match.share >= SURE or match.after.holds


def _telling(place: Place) -> Sequence[bytes]:
    """Return the lines of a definition that hardly stand in another."""
    lines = {line.strip() for line in place.text.split(b"\n")}
    return sorted(lines, key=lambda line: (-len(line), line))[:TELLING_LINES]
