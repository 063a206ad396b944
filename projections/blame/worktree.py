"""Follow lines that are not committed back to the last commit, where they stood in another file.

A file that was renamed or copied without telling git, and a block that was cut out of one file and put into another,
are what their last commit says of them, as they will be once all is committed.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from functools import cached_property, lru_cache

from linetrail.ledger.errors import GitError
from linetrail.ledger.observe.reflow import by_text
from linetrail.ledger.observe.scan import names_at, object_names
from linetrail.ledger.observe.substance import split
from linetrail.ledger.repository import Repository, file_path, git, stored_path
from linetrail.projections.git.history import Blamed, Blaming, Objects
from linetrail.projections.git.target import Target, on_disk
from linetrail.projections.lines.align import align, gaps, trivial
from linetrail.projections.lines.moves import Pair, moved
from linetrail.projections.lines.states import hashes_of

# So many changed files are looked at, and a block has so many lines of substance.
MAX_FILES, MIN_BLOCK = 100, 2


class Uncommitted:
    """The files of a work tree that differ from its last commit; what they lost is worked out once."""

    def __init__(self, repository: Repository, store: Objects) -> None:
        self._repository, self._store = repository, store
        self._lost = lru_cache(MAX_FILES)(self._lost_lines)
        self.lost = lru_cache(1)(self._all_lost)

    def followed(self, target: Target, blamed: Blamed, wanted: Iterable[int]) -> Blamed:
        """Return git's answer with the wanted lines, by index, where the last commit has them in another file."""
        places = [at for at in wanted if blamed.lines[at].revision is None]
        if target.revision is not None or target.head is None or len(places) < MIN_BLOCK:
            return blamed
        hashes = hashes_of(split(target.content))
        lines, commits = list(blamed.lines), dict(blamed.commits)
        new = all(line.revision is None for line in blamed.lines)
        for path, pairs in self._sources(target, hashes, places, new=new):
            found = self._blamed(path, target.head, sorted({old for old, _ in pairs}))
            commits |= found.commits
            lines_of = dict(zip(sorted({old for old, _ in pairs}), found.lines, strict=False))
            for old, at in pairs:
                lines[at] = lines_of.get(old, lines[at])
        return Blamed(lines, commits)

    def _sources(
        self, target: Target, hashes: Sequence[str], places: Sequence[int], *, new: bool
    ) -> Iterator[tuple[str, list[Pair]]]:
        """Yield the files that lines come from, with the lines there and here, counted from 0."""
        original = self._copied(target) if new else None
        if original is not None:
            yield original, [(at, at) for at in places]
            return
        left = set(places)
        broken = self._broken(target, left)
        if broken:
            left.difference_update(at for _, at in broken)
            yield target.path, broken
        for path in self._changed:
            before, lost = self._lost(path, target.head or "")
            shared = {hashes[at] for at in left}.intersection(before[at] for at in lost)
            if path != target.path and sum(not trivial(line) for line in shared) >= MIN_BLOCK:
                pairs = moved({at: before[at] for at in lost}, {at: hashes[at] for at in left}, least=MIN_BLOCK)
                if 2 * len(pairs) >= len(before) == len(lost):
                    # the file itself was renamed: what is equal in order is the same, block or not
                    alignment = align(before, hashes)
                    pairs = [(old, at) for at in sorted(left) if (old := alignment[at]) is not None]
                left.difference_update(at for _, at in pairs)
                yield path, sorted(pairs)

    def _broken(self, target: Target, places: Collection[int]) -> list[Pair]:
        """Pair lines of the last commit with those of this file that they were broken into, or joined to."""
        old = split(self._store.read(f"{target.head}:{file_path(target.path)}") or b"")
        new = split(target.content)
        pairs: dict[int, int] = {}
        for a0, a1, b0, b1 in gaps(align(hashes_of(old), hashes_of(new)), len(old.lines)):
            pairs |= {b0 + y: a0 + x for x, y in by_text(old.lines[a0:a1], new.lines[b0:b1]) if b0 + y in places}
        return [(a, b) for b, a in pairs.items()]

    def _copied(self, target: Target) -> str | None:
        """Return the file of the last commit that has this very content."""
        name = object_names(self._repository, [target.path]).get(target.path, "")
        return self._committed.get(name)

    def _lost_lines(self, path: str, head: str) -> tuple[Sequence[str], Sequence[int]]:
        """Return the lines that a file had in the last commit, and which of them it has no more, counted from 0."""
        before = hashes_of(split(self._store.read(f"{head}:{file_path(path)}") or b""))
        kept = set(align(before, hashes_of(split(on_disk(self._repository, path) or b""))))
        return before, [at for at in range(len(before)) if at not in kept]

    def _all_lost(self, head: str) -> frozenset[str]:
        """Return the lines that some file had in the last commit, and has no more."""
        told = (self._lost(path, head) for path in self._changed)
        return frozenset(before[at] for before, lost in told for at in lost)

    def _blamed(self, path: str, head: str, places: Sequence[int]) -> Blamed:
        target = Target(path, b"", head, head)
        with closing(Blaming(self._repository, target, (), [at + 1 for at in places])) as blaming:
            try:
                return blaming.answer()
            except GitError:
                return Blamed([], {})

    @cached_property
    def _changed(self) -> list[str]:
        listed = git(self._repository, "diff", "--name-only", "--no-renames", "-z", "HEAD") or b""
        return [stored_path(name.decode(errors="surrogateescape")) for name in listed.split(b"\0")[:-1]][:MAX_FILES]

    @cached_property
    def _committed(self) -> dict[str, str]:
        return names_at(self._repository, "HEAD")
