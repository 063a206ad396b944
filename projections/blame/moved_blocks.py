"""Follow lines past the commits that only moved them, within a file or out of another one.

git is first asked what a commit deleted, in any file; only where that has lines which the same commit added here, it is
looked for where these come from.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from linetrail.ledger.repository import Repository, file_path
from linetrail.projections.git.blames import Blames
from linetrail.projections.git.history import Blamed, Commit, GitLine, Objects
from linetrail.projections.git.patches import Patches
from linetrail.projections.git.sources import Sources
from linetrail.projections.git.target import Target
from linetrail.projections.lines.align import align
from linetrail.projections.lines.states import lines_of

# A block with fewer letters and digits may stand anywhere: what git's -M takes for a move, too.
LEAST = 20
# How many commits in a row that only broke a line anew, or copied its file, are looked past.
ROUNDS = 4
# Reverts of so many files are kept at hand.
KEPT = 64

_REVERTS = re.compile(rb"^This reverts commit ([0-9a-f]{40,64})", re.MULTILINE)
_SIGNS = bytes(sign for sign in range(128) if not chr(sign).isalnum())


def weight(line: bytes) -> int:
    """Return how many bytes of a line are letters and digits, in ASCII, or belong to other characters."""
    return len(line.translate(None, _SIGNS))


class _Reverted(NamedTuple):
    """A commit before one that was taken back, and the lines in it of lines that came back, by their numbers."""

    revision: str
    lines: Mapping[int, int]


class Moves:
    """Follow lines of many files; what a commit deleted is asked once."""

    def __init__(self, repository: Repository, store: Objects, blames: Blames) -> None:
        self._store = store
        self.patches = Patches(repository, blames.patch)
        self.sources = Sources(store, blames, self.patches)
        self._reverted = lru_cache(KEPT)(self._back)
        self._taken_back: dict[str, str | None] = {}

    def close(self) -> None:
        """End the processes behind what is known of commits."""
        self.patches.close()

    def followed(self, target: Target, blamed: Blamed, wanted: Iterable[int]) -> Blamed:
        """Return git's answer with the wanted lines, by index, where they were before they were moved or broken."""
        lines, commits = list(blamed.lines), dict(blamed.commits)
        for places in self._moved(target, blamed, wanted):
            found = self._followed(target, blamed, places)
            commits |= found.commits
            for at, line in zip(places, found.lines, strict=True):
                lines[at] = line
        for _ in range(ROUNDS):
            wanted = self._step_back(lines, commits, wanted)
            if not wanted:
                break
        if lines == blamed.lines:
            return blamed
        left = {line.revision for line in lines}
        return Blamed(lines, {revision: commit for revision, commit in commits.items() if revision in left})

    def _step_back(self, lines: list[GitLine], commits: dict[str, Commit], wanted: Iterable[int]) -> Collection[int]:
        """Follow lines past commits that broke them anew or copied their file; return which may be followed further."""
        origins = {at: origin for at in wanted if (origin := self._origin(lines[at])) is not None}
        asked: dict[tuple[str, str], set[int]] = defaultdict(set)
        for place, numbers in origins.values():
            asked[place].update(numbers)
        found: dict[tuple[str, str, int], GitLine] = {}
        for (revision, path), places in asked.items():
            ordered = sorted(places)
            answer = self.sources.traced(revision, path, ordered)
            if answer is not None:
                commits |= answer.commits
                found |= {(revision, path, number): line for number, line in zip(ordered, answer.lines, strict=True)}
        for at, (place, originals) in origins.items():
            sources = [line for number in originals if (line := found.get((*place, number))) is not None]
            if sources:
                lines[at] = max(sources, key=lambda line: commits[line.revision or ""].author_time)
        return origins.keys() if found else ()

    def _origin(self, line: GitLine) -> tuple[tuple[str, str], Sequence[int]] | None:
        """Return where a line was before the commit that git names: a commit, a file in it, and numbers of lines."""
        if line.revision is None:
            return None
        if line.previous is None:
            original = self.patches.copied(line.revision).get(line.filename)
            parent = self.sources.parent(line.revision) if original else None
            return ((parent, original), [line.original_line]) if parent and original else None
        numbers = self.patches.of(line.revision).broken.get((line.filename, line.original_line))
        if numbers:
            return line.previous, numbers
        reverted = self._reverted(line.revision, line.filename)
        number = reverted.lines.get(line.original_line) if reverted else None
        return ((reverted.revision, line.filename), [number]) if reverted and number else None

    def _back(self, revision: str, path: str) -> "_Reverted | None":
        """Return where the lines come from that a revert brought back: the commit before the one it took back."""
        if revision not in self._taken_back:
            found = _REVERTS.search(self._store.read(revision) or b"")
            self._taken_back[revision] = found and found[1].decode()
        taken_back = self._taken_back[revision]
        if taken_back is None:
            return None
        before = self.sources.parent(taken_back)
        if before is None:
            return None
        old, new = (self._store.read(f"{name}:{path}") for name in (before, revision))
        if old is None or new is None:
            return None
        alignment = align(lines_of(old)[1], lines_of(new)[1])
        return _Reverted(before, {at: a + 1 for at, a in enumerate(alignment, 1) if a is not None})

    def _moved(self, target: Target, blamed: Blamed, wanted: Iterable[int]) -> Iterator[list[int]]:
        """Yield the lines that each commit added here and deleted elsewhere, by index, in the order they had in it."""
        substance = lines_of(target.content)[0].substance
        added: dict[tuple[str | None, str], list[int]] = defaultdict(list)
        for at in wanted:
            added[blamed.lines[at].revision, blamed.lines[at].filename].append(at)
        # git takes a third of the time where it goes from each commit to the one before
        newest_first = sorted(added, key=lambda one: -blamed.commits[one[0]].committer_time if one[0] else 0)
        for revision, filename in newest_first:
            places = added[revision, filename]
            deleted = self.patches.of(revision).deleted if revision else self._deleted_since(target, substance)
            if deleted:
                places.sort(key=lambda at: blamed.lines[at].original_line)
                if moved := list(_moved_blocks(places, blamed, substance, deleted)):
                    yield moved

    def _deleted_since(self, target: Target, substance: Sequence[bytes]) -> Collection[int]:
        """Return the lines of this file in the last commit that the work tree has not more often."""
        before = Counter(lines_of(self._store.read(f"{target.head}:{file_path(target.path)}") or b"")[0].substance)
        now = Counter(substance)
        return {hash(line) for line, times in before.items() if now[line] <= times}

    def _followed(self, target: Target, blamed: Blamed, places: Sequence[int]) -> Blamed:
        """Return where lines that one commit brought come from."""
        lines = [blamed.lines[at] for at in places]
        revision, _, filename, previous = lines[0]
        numbers = [line.original_line for line in lines]
        if revision is not None:
            content = self._store.read(f"{revision}:{filename}") or b""
            return self.sources.followed(Blamed(lines, {}), numbers, content)
        before = lines_of((self._store.read(":".join(previous)) if previous else None) or b"")[1]
        kept = set(align(before, lines_of(target.content)[1]))
        gone = {at + 1 for at in range(len(before)) if at not in kept}
        return self.sources.followed(Blamed(lines, {}), numbers, target.content, gone)


def _moved_blocks(
    places: Sequence[int], blamed: Blamed, substance: Sequence[bytes], deleted: Collection[int]
) -> Iterator[int]:
    """Yield the lines of each block, from the first to the last that was deleted as well, if they say enough."""
    for block in _runs(places, [blamed.lines[at].original_line for at in places]):
        found = [index for index, at in enumerate(block) if hash(substance[at]) in deleted]
        if sum(weight(substance[block[index]]) for index in found) >= LEAST:
            yield from block[found[0] : found[-1] + 1]


def _runs(places: Sequence[int], numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    starts = [0, *(at + 1 for at, (one, two) in enumerate(pairwise(numbers)) if two != one + 1)]
    return (places[start:stop] for start, stop in zip(starts, [*starts[1:], len(places)], strict=True))
