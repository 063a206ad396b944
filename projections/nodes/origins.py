"""Find what the definitions of a file were before a commit or before what is not committed, in any file of the step."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from linetrail.ledger.repository import Repository, file_path
from linetrail.projections.history import Objects
from linetrail.projections.nodes.indexed import Indexed
from linetrail.projections.nodes.past import Changed, changed_by, changed_since
from linetrail.projections.nodes.sides import Place, Side
from linetrail.projections.nodes.texts import plain
from linetrail.projections.nodes.tracking import EDITED, NOTHING, Followed, Match, follow
from linetrail.projections.syntax.language import language_of
from linetrail.projections.target import on_disk

# So many lines of a definition tell in which files it may have been; shorter ones stand in any.
TELLING_LINES, TELLING = 40, 8
# So many files of one commit are looked into, and what so many commits changed is at hand.
MAX_FILES, KEPT = 200, 32
# Such a share of its lines leaves no doubt that a definition is the one of its name.
SURE = 0.6

# Tells what a commit changed.
ChangedBy = Callable[[str], Sequence[Changed]]


class Origin(NamedTuple):
    """What a definition was made from; None where it is new. `merged` were put into it."""

    match: Match | None
    merged: Sequence[Match]


class Origins:
    """The steps of one repository: all files that a commit changed, or the work tree."""

    def __init__(
        self, repository: Repository, store: Objects, indexed: Indexed, changed: ChangedBy | None = None
    ) -> None:
        """Take what a commit changed from `changed` where somebody knows, else ask git."""
        self._repository, self._store, self._indexed = repository, store, indexed
        self._changed_by = lru_cache(KEPT)(changed or partial(changed_by, repository))
        self._changed_since = lru_cache(KEPT)(partial(changed_since, repository))
        self._blob = lru_cache(MAX_FILES)(store.read)
        self._lines = lru_cache(MAX_FILES)(_lines)
        # the definitions of one file ask for the same
        self._near = lru_cache(KEPT)(_near)
        self._wide = lru_cache(KEPT)(_wide)

    def read(self, revision: str, path: str) -> bytes | None:
        """Return what a commit has at a path."""
        content = self._store.read(f"{revision}:{file_path(path)}")
        return None if content is None else plain(content)

    def of(self, place: Place, content: bytes | None, revision: str | None, head: str | None) -> Origin:
        """Say what a definition was made from: in the former content of its file, else in any file of the whole step.

        The step is a commit, or without one the work tree on top of `head`.
        """
        near = self._near(self._indexed.side(place.path, content), place.side) if content is not None else NOTHING
        found = near.past_of(place)
        if found is None or not _is_sure(found):
            wide = self._followed(place.side, _telling(place), revision, head)
            found = wide.past_of(place) or found or near.cut_out(place) or wide.cut_out(place)
        return Origin(found, near.put_in(place))

    def step(self, side: Side, telling: Collection[bytes], revision: str | None, head: str | None) -> Sequence[Match]:
        """Match what a file defines after a step with all that had some of these lines before."""
        return self._followed(side, telling, revision, head).matches

    def _followed(self, side: Side, telling: Collection[bytes], revision: str | None, head: str | None) -> Followed:
        if revision is not None:
            return self._matches(side, telling, self._changed_by(revision), self._committed)
        return self._matches(side, telling, self._changed_since(head) if head else [], self._on_disk)

    def _matches(
        self,
        side: Side,
        telling: Collection[bytes],
        changed: Sequence[Changed],
        now: Callable[[Changed], bytes | None],
    ) -> Followed:
        before, after = [], [side]
        renamed = {one.old: one.new for one in changed if one.old and one.new and one.old != one.new}
        wanted = frozenset(telling)
        for one in sorted(changed, key=lambda one: one.new != side.path)[:MAX_FILES]:
            content = self._blob(one.old_blob) if one.old and one.old_blob else None
            if one.old is None or content is None or language_of(one.old, content) is None:
                continue
            if one.new == side.path or not wanted.isdisjoint(self._lines(content)):
                before.append(self._indexed.side(one.old, content))
                if one.new is not None and one.new != side.path:
                    after.append(self._indexed.side(one.new, now(one) or b""))
        named = {(old, renamed[old]) for one in before if (old := one.path) in renamed}
        return self._wide(tuple(before), tuple(after), frozenset(named))

    def _committed(self, one: Changed) -> bytes | None:
        return self._blob(one.new_blob) if one.new_blob else None

    def _on_disk(self, one: Changed) -> bytes | None:
        return on_disk(self._repository, one.new) if one.new else None


def _near(before: Side, after: Side) -> Followed:
    return Followed(follow([before], [after]))


def _wide(before: Sequence[Side], after: Sequence[Side], renamed: Iterable[tuple[str, str]]) -> Followed:
    return Followed(follow(before, after, dict(renamed)))


def _lines(content: bytes) -> frozenset[bytes]:
    return frozenset(line.strip() for line in content.split(b"\n"))


def _is_sure(match: Match) -> bool:
    """Tell whether no other file needs to be asked for a definition: it is not only the one of its name."""
    return match.kinds != (EDITED,) or match.share >= SURE or match.after.holds


def _telling(place: Place) -> Sequence[bytes]:
    """Return the lines of a definition that hardly stand in another."""
    lines = {text for line in place.text.split(b"\n") if len(text := line.strip()) >= TELLING}
    return sorted(lines, key=lambda line: (-len(line), line))[:TELLING_LINES]
