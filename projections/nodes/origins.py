"""Find what the definitions of a file were before a commit or before what is not committed, in any file of the step."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from linetrail.ledger.repository import Repository, file_path
from linetrail.projections.git.history import Objects
from linetrail.projections.git.target import on_disk
from linetrail.projections.lines.moves import TAKEN, TELLING
from linetrail.projections.nodes.commits import Changed, changed_by, changed_since
from linetrail.projections.nodes.index import DefinitionIndex
from linetrail.projections.nodes.matches import EDITED, NOTHING, Followed, Match, follow, paired_lines
from linetrail.projections.nodes.sides import Place, Side
from linetrail.projections.nodes.texts import plain
from linetrail.projections.syntax.language import language_of

# So many lines of a definition tell in which files it may have been.
TELLING_LINES = 40
# So many files of one commit are looked into; what so many commits changed, and became of definitions, is at hand.
MAX_FILES, KEPT, STEPS = 200, 32, 4
# Such a share of its lines leaves no doubt that a definition is the one of its name.
SURE = 0.6

# Tells what a commit changed.
ChangedBy = Callable[[str], Sequence[Changed]]
NO_LINES = frozenset[bytes]()
# Tells whether a file with telling lines before a step, and these lines after it, may be where a definition was.
_Had = Callable[[frozenset[bytes], frozenset[bytes]], bool]


class _Sides(NamedTuple):
    """A file that a step changed, and what it held before and after."""

    changed: Changed
    before: bytes
    after: bytes


class Origin(NamedTuple):
    """What a definition was made from; None where it is new. `merged` were put into it."""

    match: Match | None
    merged: Sequence[Match]


class Origins:
    """The steps of one repository: all files that a commit changed, or the work tree."""

    def __init__(
        self, repository: Repository, store: Objects, indexed: DefinitionIndex, changed: ChangedBy | None = None
    ) -> None:
        """Ask `changed` what a commit changed; without it, ask git."""
        self._repository, self._store, self._indexed = repository, store, indexed
        self._changed_by = lru_cache(KEPT)(changed or partial(changed_by, repository))
        self._changed_since = lru_cache(KEPT)(partial(changed_since, repository))
        self._blob = lru_cache(MAX_FILES)(store.read)
        self._lines = lru_cache(MAX_FILES)(_lines)
        # the definitions of one file ask for the same
        self._near = lru_cache(STEPS)(_near)
        self._wide = lru_cache(STEPS)(_wide)

    def read(self, revision: str, path: str) -> bytes | None:
        """Return what a commit has at a path."""
        content = self._store.read(f"{revision}:{file_path(path)}")
        return None if content is None else plain(content)

    def of(self, place: Place, content: bytes | None, revision: str | None, head: str | None) -> Origin:
        """Return what a definition was made from: in the former content of its file, else in any file of the step.

        The step is a commit, or without one the work tree on top of `head`.
        """
        near = self._near(self._indexed.side(place.path, content), place.side) if content is not None else NOTHING
        found = near.past_of(place)
        if found is None or not _is_sure(found):
            wide = self._followed(place.side, _telling(place), revision, head)
            found = wide.past_of(place) or found or near.cut_out(place) or wide.cut_out(place)
        return Origin(found, near.put_in(place))

    def step(
        self,
        path: str,
        content: bytes,
        telling: Collection[bytes],
        revision: str | None,
        head: str | None,
        lost: Collection[str] | None = None,
    ) -> dict[int, tuple[str, int]]:
        """Pair lines of a file after a step, by number, with those of definitions that it took from elsewhere.

        Only files are looked into that some of these `telling` lines left: one of those that `lost` lines like them,
        where these are known.
        """
        sides = self._sides(path, telling, revision, head, _took, lost)
        if not sides:
            return {}
        side = self._indexed.side(path, content)
        return paired_lines(side, self._matches(side, sides).matches)

    def _followed(self, side: Side, telling: Collection[bytes], revision: str | None, head: str | None) -> Followed:
        return self._matches(side, self._sides(side.path, telling, revision, head, _any))

    def _sides(
        self,
        path: str,
        telling: Collection[bytes],
        revision: str | None,
        head: str | None,
        had: "_Had",
        lost: Collection[str] | None = None,
    ) -> list["_Sides"]:
        """Return what a step changed as far as definitions of a file may come from there; of the file itself, too."""
        wanted = frozenset(telling)
        if revision is not None:
            changed, now = self._changed_by(revision), self._committed
        else:
            changed, now = self._changed_since(head) if head else [], self._on_disk
        found: list[_Sides] = []
        own: list[_Sides] = []
        for one in sorted(changed, key=lambda one: one.new != path)[:MAX_FILES]:
            if lost is not None and one.new != path and one.old not in lost:
                continue
            content = self._blob(one.old_blob) if one.old and one.old_blob else None
            if one.old is None or content is None or language_of(one.old, content) is None:
                continue
            common = wanted & self._lines(content)
            if one.new == path:
                (found if had(common, NO_LINES) else own).append(_Sides(one, content, b""))
            elif common:
                later = now(one) or b""
                if had(common, self._lines(later)):
                    found.append(_Sides(one, content, later))
        return [*own, *found] if found else []

    def _matches(self, side: Side, sides: Sequence["_Sides"]) -> Followed:
        before, after, renamed = [], [side], set()
        for one, content, later in sides:
            before.append(self._indexed.side(one.old or "", content))
            if one.new is not None and one.new != side.path:
                after.append(self._indexed.side(one.new, later))
            if one.old and one.new and one.old != one.new:
                renamed.add((one.old, one.new))
        return self._wide(tuple(before), tuple(after), frozenset(renamed))

    def _committed(self, one: Changed) -> bytes | None:
        return self._blob(one.new_blob) if one.new_blob else None

    def _on_disk(self, one: Changed) -> bytes | None:
        return on_disk(self._repository, one.new) if one.new else None


def _near(before: Side, after: Side) -> Followed:
    return Followed(follow([before], [after]))


def _wide(before: Sequence[Side], after: Sequence[Side], renamed: Iterable[tuple[str, str]]) -> Followed:
    return Followed(follow(before, after, dict(renamed)))


def _any(_had: frozenset[bytes], _has: frozenset[bytes]) -> bool:
    return True


def _took(had: frozenset[bytes], has: frozenset[bytes]) -> bool:
    """Return whether lines left a file, so many that a definition may have gone with them."""
    return len(had - has) >= TAKEN


def _lines(content: bytes) -> frozenset[bytes]:
    return frozenset(line.strip() for line in content.split(b"\n"))


def _is_sure(match: Match) -> bool:
    """Return whether no other file needs to be asked for a definition: it is not only the one of its name."""
    return match.kinds != (EDITED,) or match.share >= SURE or match.after.holds


def _telling(place: Place) -> Sequence[bytes]:
    """Return the lines of a definition that hardly stand in another."""
    lines = {text for line in place.text.split(b"\n") if len(text := line.strip()) >= TELLING}
    return sorted(lines, key=lambda line: (-len(line), line))[:TELLING_LINES]
