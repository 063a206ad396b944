"""Follow lines past the commits that moved them, as `git blame -M -C` does: within a file, or out of another one.

git takes copies for moves, from any file that a commit changed, and starts once for every question. Here a block was
moved if the commit deleted it where it came from, and plain blames of its parent tell the rest.
"""

import re
from collections import defaultdict, deque
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from linetrail.ledger.errors import GitError
from linetrail.ledger.observe.substance import split
from linetrail.ledger.repository import stored_path
from linetrail.projections.git.blames import Answered, Blames
from linetrail.projections.git.history import Blamed, Blaming, GitLine, Objects
from linetrail.projections.git.patches import Patches
from linetrail.projections.git.target import Target

# A block with so many letters and digits, or fewer, may stand anywhere: within its file, and in another one.
IN_FILE, IN_OTHERS = 20, 40
# So many contents of files are kept at hand, and so many questions git is at work on at a time.
KEPT, AT_WORK = 64, 2
# So many files of one commit are looked into.
MAX_FILES = 100
# A line that stands in more places of a file is looked for only where no other one of its block is rarer.
RARE = 8

_PARENT = re.compile(rb"^parent ([0-9a-f]+)$", re.MULTILINE)
_NO_ALNUM = bytes(sign for sign in range(256) if sign >= 128 or not chr(sign).isalnum())

# The number of a line where it is asked about, and its number in the file that is looked at.
Pair = tuple[int, int]


class Text(NamedTuple):
    """The lines of a content as they are compared, where each of them stands, and those that went, by number."""

    lines: Sequence[int]
    places: Mapping[int, Sequence[int]]
    gone: Container[int]


class _Wanted(NamedTuple):
    """The lines that are asked about, by their numbers: as they are compared, and how much each says."""

    lines: Mapping[int, int]
    weights: Mapping[int, int]

    def weight(self, entry: Sequence[Pair]) -> int:
        """Return how many letters and digits lines have."""
        return sum(self.weights[number] for number, _ in entry)


class _Block(NamedTuple):
    """A stretch of an entry, from one index up to another, that a file had as well: from which line on.

    `moved` is the weight of the lines that went there, `weight` that of all.
    """

    weight: int
    moved: int
    start: int
    stop: int
    first: int
    path: str


class Sources:
    """Where the lines of one repository come from."""

    def __init__(self, store: Objects, blames: Blames, patches: Patches) -> None:
        self._store, self._blames, self._patches = store, blames, patches
        self._text = lru_cache(KEPT)(self._read)
        self.parent = lru_cache(KEPT)(self._parent)

    def traced(self, revision: str, path: str, numbers: Sequence[int]) -> Blamed | None:
        """Return where lines of a file in a commit come from, moved or not; None where objects are missing."""
        target = Target(stored_path(path), b"", revision, revision)
        try:
            with closing(self._blames.ask(target, numbers)) as asked:
                found = asked.answer()
        except GitError:
            return None
        if len(found.lines) != len(numbers):
            return None
        content = self._store.read(f"{revision}:{path}")
        return self.followed(found, numbers, content or b"")

    def followed(
        self, blamed: Blamed, numbers: Sequence[int], content: bytes, uncommitted: Container[int] = ()
    ) -> Blamed:
        """Return git's answer about these lines of a content, with those that were moved where they come from.

        `uncommitted` are the lines of the last commit, by number, that the content has no more.
        """
        wanted = _wanted(content, numbers)
        lines, commits = dict(zip(numbers, blamed.lines, strict=True)), dict(blamed.commits)
        waiting: deque[tuple[Sequence[Pair], Blaming | Answered]] = deque()
        waiting.extend(self._asked(lines, wanted, uncommitted))
        while waiting:
            pairs, asked = waiting.popleft()
            with closing(asked):
                try:
                    answer = asked.answer()
                except GitError:
                    continue  # objects are missing: the lines stay where they are
            places = sorted({old for _, old in pairs})
            if len(answer.lines) == len(places):
                commits |= answer.commits
                by_place = dict(zip(places, answer.lines, strict=True))
                found = {number: by_place[old] for number, old in pairs}
                lines |= found
                waiting.extend(self._asked(found, wanted, uncommitted))
        return Blamed([lines[number] for number in numbers], commits)

    def _asked(
        self, lines: Mapping[int, GitLine], wanted: _Wanted, uncommitted: Container[int]
    ) -> Iterator[tuple[Sequence[Pair], Blaming | Answered]]:
        """Ask where lines come from that the commits which git names for them took from elsewhere."""
        groups: dict[tuple[str | None, str, tuple[str, str] | None], list[Pair]] = defaultdict(list)
        for number, line in lines.items():
            groups[line.revision, line.filename, line.previous].append((number, line.original_line))
        for (revision, _, previous), pairs in groups.items():
            entries = _runs(sorted(pairs, key=lambda pair: pair[1]))
            found: dict[tuple[str, str], list[Pair]] = defaultdict(list)
            for place, block in self._blocks(revision, previous, entries, wanted, uncommitted):
                found[place] += block
            for (parent, path), block in found.items():
                target = Target(stored_path(path), b"", parent, parent)
                yield block, self._blames.ask(target, sorted({old for _, old in block}))

    def _blocks(
        self,
        revision: str | None,
        previous: tuple[str, str] | None,
        entries: Sequence[Sequence[Pair]],
        wanted: _Wanted,
        uncommitted: Container[int],
    ) -> Iterator[tuple[tuple[str, str], Sequence[Pair]]]:
        """Yield the file of a parent that lost a block, and the block: the same file first, then others."""
        lost = self._patches.of(revision).lost if revision is not None else {}
        left = list(entries)
        if previous is not None:
            gone = uncommitted if revision is None else lost.get(previous[1], {})
            text = self._text(*previous)._replace(gone=gone)
            left, found = _moved(left, wanted, IN_FILE, lambda _: {previous[1]: text})
            yield from ((previous, block) for _, block in found)
        parent = self.parent(revision) if revision is not None and lost else None
        if parent is not None:
            lines = {
                path: frozenset(gone.values()) for path, gone in lost.items() if not previous or path != previous[1]
            }

            def others(entry: Sequence[Pair]) -> Mapping[str, Text]:
                telling = {wanted.lines[number] for number, _ in entry if wanted.weights[number]}
                paths = (path for path, gone in lines.items() if not telling.isdisjoint(gone))
                return {path: self._text(parent, path)._replace(gone=lost[path]) for path in sorted(paths)[:MAX_FILES]}

            _, found = _moved(left, wanted, IN_OTHERS, others)
            yield from (((parent, path), block) for path, block in found)

    def _read(self, revision: str, path: str) -> Text:
        lines = [hash(line) for line in split(self._store.read(f"{revision}:{path}") or b"").substance]
        places: dict[int, list[int]] = defaultdict(list)
        for at, line in enumerate(lines):
            places[line].append(at)
        return Text(lines, places, ())

    def _parent(self, revision: str) -> str | None:
        """Return the first parent of a commit."""
        found = _PARENT.search((self._store.read(revision) or b"").partition(b"\n\n")[0])
        return found and found[1].decode()


def _wanted(content: bytes, numbers: Sequence[int]) -> _Wanted:
    substance = split(content).substance
    texts = {number: substance[number - 1] for number in numbers}
    weights = {number: len(text.translate(None, _NO_ALNUM)) for number, text in texts.items()}
    return _Wanted({number: hash(text) for number, text in texts.items()}, weights)


def _moved(
    entries: Sequence[Sequence[Pair]],
    wanted: _Wanted,
    least: int,
    texts: Callable[[Sequence[Pair]], Mapping[str, Text]],
) -> tuple[list[Sequence[Pair]], list[tuple[str, Sequence[Pair]]]]:
    """Part entries into what stays where it is, and blocks that files had; small ones are neither."""
    waiting = deque(entry for entry in entries if wanted.weight(entry) >= least)
    stay: list[Sequence[Pair]] = []
    found: list[tuple[str, Sequence[Pair]]] = []
    while waiting:
        entry = waiting.popleft()
        blocks = (_longest(entry, wanted, path, text) for path, text in texts(entry).items())
        best = max(filter(None, blocks), default=None)
        if best is None or best.weight < least:
            stay.append(entry)
            continue
        found.append(
            (best.path, [(number, best.first + at) for at, (number, _) in enumerate(entry[best.start : best.stop], 1)])
        )
        rest = (entry[: best.start], entry[best.stop :])
        waiting.extend(part for part in rest if wanted.weight(part) >= least)
    return stay, found


def _longest(entry: Sequence[Pair], wanted: _Wanted, path: str, text: Text) -> _Block | None:
    """Return the stretch of an entry that says most of all that went from a file, in a row as well."""
    lines = [wanted.lines[number] for number, _ in entry]
    weights = [wanted.weights[number] for number, _ in entry]
    counts = [len(text.places.get(line, ())) if weight else 0 for line, weight in zip(lines, weights, strict=True)]
    most = max(RARE, min(filter(None, counts), default=0))
    best: _Block | None = None
    seen: dict[int, int] = {}  # by how far a stretch is from where it was, up to where it was looked at
    for at, line in enumerate(lines):
        for old in text.places[line] if 0 < counts[at] <= most else ():
            if seen.get(old - at, 0) > at:
                continue
            start, stop = at, at + 1
            while start and old - at + start and lines[start - 1] == text.lines[old - at + start - 1]:
                start -= 1
            while (
                stop < len(lines) and old - at + stop < len(text.lines) and lines[stop] == text.lines[old - at + stop]
            ):
                stop += 1
            seen[old - at] = stop
            went = (weights[one] for one in range(start, stop) if old - at + one + 1 in text.gone)
            block = _Block(sum(weights[start:stop]), sum(went), start, stop, old - at + start, path)
            if best is None or block[:2] > best[:2]:
                best = block
    return best


def _runs(pairs: Sequence[Pair]) -> list[Sequence[Pair]]:
    """Return lines as entries: they follow each other here as there."""
    breaks = (at for at, (one, two) in enumerate(pairwise(pairs), 1) if two != (one[0] + 1, one[1] + 1))
    cuts = [0, *breaks, len(pairs)]
    return [pairs[start:stop] for start, stop in pairwise(cuts) if stop > start]
