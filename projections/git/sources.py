"""Follow lines past the commits that moved them, as `git blame -M -C` does: within a file, or out of another one.

git takes copies for moves, from any file that a commit changed, and starts once for every question. Here a block was
moved if the commit deleted it where it came from, and plain blames of its parent tell the rest.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import count, pairwise
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
# So many contents of files are kept at hand.
KEPT = 64
# So many files of one commit are looked into.
MAX_FILES = 100
# A line that stands in more places of a file is looked for only where no other one of its block is rarer.
RARE = 8

_NO_ALNUM = bytes(sign for sign in range(256) if sign >= 128 or not chr(sign).isalnum())

# The number of a line where it is asked about, and its number in the file that is looked at.
Pair = tuple[int, int]
# Lines that went away together, in each file that had them.
Block = Mapping[str, Sequence[Pair]]


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


class _Stretch(NamedTuple):
    """A part of an entry, from one index up to another, that a file had as well: from which line on.

    `moved` is the weight of the lines that went there, `weight` that of all.
    """

    weight: int
    moved: int
    start: int
    stop: int
    first: int


class _Question(NamedTuple):
    """Lines by their numbers, and what git is asked of them in a file that may have lost them."""

    pairs: Sequence[Pair]
    asked: Blaming | Answered

    def answer(self) -> Blamed | None:
        """Return where each of these lines comes from; None where objects are missing."""
        with closing(self.asked):
            try:
                found = self.asked.answer()
            except GitError:
                return None
        places = sorted({old for _, old in self.pairs})
        if len(found.lines) != len(places):
            return None
        by_place = dict(zip(places, found.lines, strict=True))
        return Blamed([by_place[old] for _, old in self.pairs], found.commits)


def _first_commit(found: Blamed) -> int:
    """Return the time of the oldest commit that git names for some lines."""
    return min(found.commits[line.revision].committer_time for line in found.lines if line.revision is not None)


class Sources:
    """Where the lines of one repository come from."""

    def __init__(self, store: Objects, blames: Blames, patches: Patches) -> None:
        self._store, self._blames, self._patches = store, blames, patches
        self._text = lru_cache(KEPT)(self._read)
        self.parent = lru_cache(KEPT)(self._parent)

    def traced(self, revision: str, path: str, numbers: Sequence[int]) -> Blamed | None:
        """Return where lines of a file in a commit come from, moved or not; None where objects are missing."""
        found = self._question(revision, path, [(number, number) for number in numbers]).answer()
        content = self._store.read(f"{revision}:{path}") if found is not None else None
        return found and self.followed(found, numbers, content or b"")

    def followed(
        self, blamed: Blamed, numbers: Sequence[int], content: bytes, uncommitted: Container[int] = ()
    ) -> Blamed:
        """Return git's answer about these lines of a content, with those that were moved where they come from.

        `uncommitted` are the lines of the last commit, by number, that the content has no more.
        """
        wanted = _wanted(content, numbers)
        lines, commits = dict(zip(numbers, blamed.lines, strict=True)), dict(blamed.commits)
        waiting: deque[list[_Question]] = deque(self._asked(lines, wanted, uncommitted))
        while waiting:
            questions = waiting.popleft()
            answers = [answer for one in questions if (answer := one.answer()) is not None]
            if answers:
                oldest = min(answers, key=_first_commit)
                found = dict(zip((number for number, _ in questions[0].pairs), oldest.lines, strict=True))
                commits |= oldest.commits
                lines |= found
                waiting.extend(self._asked(found, wanted, uncommitted))
        return Blamed([lines[number] for number in numbers], commits)

    def _asked(
        self, lines: Mapping[int, GitLine], wanted: _Wanted, uncommitted: Container[int]
    ) -> Iterator[list[_Question]]:
        """Ask where lines come from that the commits which git names for them took from elsewhere.

        Where several files lost the same lines, each is asked: those who had them first are their authors.
        """
        groups: dict[tuple[str | None, str, tuple[str, str] | None], list[Pair]] = defaultdict(list)
        for number, line in lines.items():
            groups[line.revision, line.filename, line.previous].append((number, line.original_line))
        for (revision, _, previous), pairs in groups.items():
            entries = _runs(sorted(pairs, key=lambda pair: pair[1]))
            found: dict[tuple[str, Sequence[str]], list[Block]] = defaultdict(list)
            for parent, block in self._blocks(revision, previous, entries, wanted, uncommitted):
                found[parent, tuple(block)].append(block)
            for (parent, paths), blocks in found.items():
                lost = {path: [pair for block in blocks for pair in block[path]] for path in paths}
                yield [self._question(parent, path, pairs) for path, pairs in lost.items()]

    def _question(self, revision: str, path: str, pairs: Sequence[Pair]) -> _Question:
        target = Target(stored_path(path), b"", revision, revision)
        return _Question(pairs, self._blames.ask(target, sorted({old for _, old in pairs})))

    def _blocks(
        self,
        revision: str | None,
        previous: tuple[str, str] | None,
        entries: Sequence[Sequence[Pair]],
        wanted: _Wanted,
        uncommitted: Container[int],
    ) -> Iterator[tuple[str, Block]]:
        """Yield a parent, and a block that files of it lost: the same file first, then others."""
        lost = self._patches.of(revision).lost if revision is not None else {}
        left = list(entries)
        if previous is not None:
            gone = uncommitted if revision is None else lost.get(previous[1], {})
            text = self._text(*previous)._replace(gone=gone)
            left, found = _moved(left, wanted, IN_FILE, lambda _: {previous[1]: text})
            yield from ((previous[0], block) for block in found)
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
            yield from ((parent, block) for block in found)

    def _read(self, revision: str, path: str) -> Text:
        lines = [hash(line) for line in split(self._store.read(f"{revision}:{path}") or b"").substance]
        places: dict[int, list[int]] = defaultdict(list)
        for at, line in enumerate(lines):
            places[line].append(at)
        return Text(lines, places, ())

    def _parent(self, revision: str) -> str | None:
        """Return the first parent of a commit."""
        return next(iter(self._store.parents(revision)), None)


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
) -> tuple[list[Sequence[Pair]], list[Block]]:
    """Part entries into what stays where it is, and blocks that files had; small ones are neither."""
    waiting = deque(entry for entry in entries if wanted.weight(entry) >= least)
    stay: list[Sequence[Pair]] = []
    found: list[Block] = []
    while waiting:
        entry = waiting.popleft()
        longest = {path: _longest(entry, wanted, text) for path, text in texts(entry).items()}
        best = max(filter(None, longest.values()), default=None)
        if best is None or best.weight < least:
            stay.append(entry)
            continue
        numbers = [number for number, _ in entry[best.start : best.stop]]
        alike = {path: one.first for path, one in longest.items() if one is not None and one[:4] == best[:4]}
        found.append({path: [*zip(numbers, count(first + 1))] for path, first in alike.items()})
        rest = (entry[: best.start], entry[best.stop :])
        waiting.extend(part for part in rest if wanted.weight(part) >= least)
    return stay, found


def _longest(entry: Sequence[Pair], wanted: _Wanted, text: Text) -> _Stretch | None:
    """Return the stretch of an entry that says most of all that went from a file, in a row as well."""
    lines = [wanted.lines[number] for number, _ in entry]
    weights = [wanted.weights[number] for number, _ in entry]
    counts = [len(text.places.get(line, ())) if weight else 0 for line, weight in zip(lines, weights, strict=True)]
    most = max(RARE, min(filter(None, counts), default=0))
    best: _Stretch | None = None
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
            weight = sum(weights[start:stop])
            if best is not None and weight < best.weight:
                continue
            went = (weights[one] for one in range(start, stop) if old - at + one + 1 in text.gone)
            block = _Stretch(weight, sum(went), start, stop, old - at + start)
            if best is None or block[:2] > best[:2]:
                best = block
    return best


def _runs(pairs: Sequence[Pair]) -> list[Sequence[Pair]]:
    """Return lines as entries: they follow each other here as there."""
    breaks = (at for at, (one, two) in enumerate(pairwise(pairs), 1) if two != (one[0] + 1, one[1] + 1))
    cuts = [0, *breaks, len(pairs)]
    return [pairs[start:stop] for start, stop in pairwise(cuts) if stop > start]
