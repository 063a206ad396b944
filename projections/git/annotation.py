"""Answer `git blame -w` for any file of any commit out of one walk of history.

A line belongs to the commit that no parent has it of. What git would decide by more than the hunks of a patch, such as
a rename with several candidates, git is asked about. The answers are git's, line by line.
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from linetrail.ledger.repository import Repository, git, stored_path
from linetrail.projections.git.history import Blamed, Blaming, GitLine, Objects, length
from linetrail.projections.git.target import Target
from linetrail.projections.git.walk import Change, Hunk, Place, Walk

# A line is a number: that of its version, shifted, and its own in it.
_SHIFT = 24
_LINE = (1 << _SHIFT) - 1
# So many lines of versions are kept at hand.
KEPT = 10_000_000

# Files that share less are no rename for git, which wants half.
ALIKE = 0.45
_CHUNK = 64

_Lines: TypeAlias = "array[int]"


class _Source(NamedTuple):
    """What a parent had of a file: its version there, and the hunks between both; None where git has to be asked."""

    parent: int
    path: str
    hunks: Sequence[Hunk] | None


class Annotation:
    """The lines of all files of a history, each with the commit that it comes from."""

    def __init__(self, repository: Repository, store: Objects, *heads: str) -> None:
        self._repository, self._store = repository, store
        self.walk = Walk(repository, heads)
        self._known: dict[Place, _Lines] = {}
        self._kept = 0
        self._ids: dict[Place, int] = {}
        self._places: list[Place] = []
        self._headings: dict[int, GitLine] = {}
        self._resolved: dict[Place, Place | None] = {}
        self._chunked = lru_cache(256)(self._chunks)

    def close(self) -> None:
        """Let go of the history."""
        self.walk.close()

    def blamed(self, revision: str, path: str, numbers: Sequence[int] | None = None) -> Blamed | None:
        """Return what git would say of a file, or of these lines of it; None where it is not in this history."""
        at = self.walk.numbers.get(revision)
        place = None if at is None else self._version(at, path)
        if place is None:
            return None
        if self._kept > KEPT:
            self._known.clear()
            self._kept = 0
        known = self._lines(place)
        wanted = known if numbers is None else [known[number - 1] for number in numbers if number <= len(known)]
        headings = self._headings
        lines = []
        named: dict[int, None] = {}
        for line in wanted:
            version = line >> _SHIFT
            named[version] = None
            heading = headings.get(version) or self._heading(version)
            lines.append(GitLine(heading.revision, line & _LINE, heading.filename, heading.previous))
        commits = dict.fromkeys(self._places[version][0] for version in named)
        return Blamed(lines, {self.walk.names[one]: self.walk.commit(one) for one in commits})

    def _version(self, number: int, path: str) -> Place | None:
        """Return where a file got the lines that it has in a commit; None where that does not have it."""
        chain: list[Place] = []
        place: Place | None = (number, path)
        while place is not None and place not in self._resolved:
            chain.append(place)
            last = self.walk.last(*place)
            if last is None:
                place = None
            elif last != place[0]:
                place = last, place[1]
            else:
                passed = self._passed(*place)
                if passed == place:
                    break
                place = passed
        found = self._resolved.get(place, place) if place is not None else None
        self._resolved |= dict.fromkeys(chain, found)
        return found

    def _passed(self, number: int, path: str) -> Place | None:
        """Return the parent's file that has every byte of this one, else the file itself; None where it is gone."""
        change, parents = self.walk.changes[number][path], self.walk.parents[number]
        if change.status == "D":
            return None
        if change.status == "M" and change.old_blob == change.new_blob:
            return parents[0], path
        for parent in parents[1:]:
            if self.walk.blob(parent, path) == change.new_blob:
                return parent, path
        renamed = change.status.startswith("R") and change.old_blob == change.new_blob
        if renamed and len(parents) == 1 and not self._is_doubtful(number, path, change):
            return parents[0], change.old
        return number, path

    def _is_doubtful(self, number: int, path: str, change: Change) -> bool:
        """Return whether git may see another file renamed to this one where it looks for this one alone."""
        changes = self.walk.changes[number]
        renamed = [one for name, one in changes.items() if one.status.startswith("R") and name != path]
        if change.status != "A" and change.old_blob == change.new_blob:
            return any(one.old_blob == change.old_blob for one in renamed) or any(
                one.status == "D" and one.old_blob == change.old_blob and one.old != change.old
                for one in changes.values()
            )
        if not any(self._are_alike(one.old_blob, change.new_blob) for one in renamed):
            return False
        parent = f"{self.walk.names[number]}^"
        told = git(
            self._repository,
            *("--literal-pathspecs", "diff-tree", "--follow", "-M", "-r", "--raw", "--no-abbrev", "-z"),
            *(parent, self.walk.names[number], "--", path),
        )
        words = (told or b"").split(b"\0")
        seen = words[1] if words[0].rpartition(b" ")[2].startswith(b"R") else b""
        return seen != (change.old.encode(errors="surrogateescape") if change.status[0] == "R" else b"")

    def _are_alike(self, one: str, other: str) -> bool:
        """Return whether git may take one content for the other, renamed."""
        (size, chunks), (others, like) = self._chunked(one), self._chunked(other)
        if min(size, others) < ALIKE * max(size, others):
            return False
        shared = sum(min(count, like[chunk]) * len(chunk) for chunk, count in chunks.items() if chunk in like)
        return shared >= ALIKE * max(size, others)

    def _chunks(self, blob: str) -> tuple[int, Counter[bytes]]:
        """Return the size of a content, and the pieces that git compares of it."""
        content = self._store.read(blob) or b""
        pieces: Counter[bytes] = Counter()
        for line in content.splitlines(keepends=True) if b"\r" not in content else content.split(b"\n"):
            pieces.update(line[at : at + _CHUNK] for at in range(0, len(line), _CHUNK))
        return len(content), pieces

    def _lines(self, place: Place) -> _Lines:
        """Return the lines of a version, those of earlier ones first, as none may be worked out without these."""
        waiting = [place]
        while waiting:
            one = waiting[-1]
            if one in self._known:
                waiting.pop()
                continue
            sources = list(self._sources(one))
            needed = [(source, self._version(source.parent, source.path)) for source in sources]
            if any(source.hunks is None or version is None for source, version in needed):
                self._keep(one, self._asked(one))
                continue
            missing = [version for _, version in needed if version is not None and version not in self._known]
            if missing:
                waiting += missing
                continue
            versions = [(source.hunks or (), self._known[version]) for source, version in needed if version]
            self._keep(one, self._made(one, versions))
        return self._known[place]

    def _keep(self, place: Place, lines: _Lines) -> None:
        self._known[place] = lines
        self._kept += len(lines)

    def _made(self, place: Place, sources: Sequence[tuple[Sequence[Hunk], _Lines]]) -> _Lines:
        own = self._id(place) << _SHIFT
        if not sources:
            content = self._store.read(self.walk.changes[place[0]][place[1]].new_blob) or b""
            return array("q", range(own + 1, own + 1 + length(content)))
        first, *others = (_spliced(before, hunks, own) for hunks, before in sources)
        for other in others:
            for at, line in enumerate(first):
                if line > own and line - own <= _LINE:
                    first[at] = other[at]
        return first

    def _sources(self, place: Place) -> Iterator[_Source]:
        """Yield what the parents have of a version, in the order in which git asks them."""
        number, path = place
        change, parents = self.walk.changes[number][path], self.walk.parents[number]
        if change.status == "M" and (len(parents) == 1 or self.walk.is_own(number, path)):
            for parent, hunks in zip(parents, self.walk.hunks(number, path), strict=True):
                yield _Source(parent, path, hunks)
        elif len(parents) > 1 or (change.status != "T" and self._is_doubtful(number, path, change)):
            yield _Source(parents[0], path, None)
        elif change.status.startswith("R"):
            yield _Source(parents[0], change.old, self.walk.hunks(number, path)[0])

    def _asked(self, place: Place) -> _Lines:
        """Ask git for the lines of a version."""
        number, path = place
        revision = self.walk.names[number]
        content = self._store.read(f"{revision}:{path}") or b""
        target = Target(stored_path(path), content, revision, revision)
        with closing(Blaming(self._repository, target)) as blaming:
            told = blaming.answer()
        found = array("q")
        for line in told.lines:
            origin = self._id((self.walk.numbers[line.revision or ""], line.filename))
            self._headings.setdefault(origin, line)
            found.append((origin << _SHIFT) + line.original_line)
        return found

    def _id(self, place: Place) -> int:
        if place not in self._ids:
            self._ids[place] = len(self._places)
            self._places.append(place)
        return self._ids[place]

    def _heading(self, version: int) -> GitLine:
        number, path = self._places[version]
        source = next(self._sources(self._places[version]), None)
        previous = None if source is None else (self.walk.names[source.parent], source.path)
        heading = self._headings[version] = GitLine(self.walk.names[number], 0, path, previous)
        return heading


def _spliced(before: _Lines, hunks: Sequence[Hunk], own: int) -> _Lines:
    """Return the lines after the hunks of a patch; new ones are the version's own."""
    found = array("q")
    at = 0
    for old, olds, new, news in hunks:
        start = old - 1 if olds else old
        found += before[at:start]
        found.extend(range(own + new, own + new + news))
        at = start + olds
    found += before[at:]
    return found
