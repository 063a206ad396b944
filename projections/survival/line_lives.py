"""Follow each line of a file from the change that wrote it to the change that ended it.

A line lives on through white space, moves within the file, joining and splitting, and through being away for a while:
a change that is taken back ends nothing. A changed line ends, and another one is born. Where branches disagree, the
change counts that the last recorded state comes from. What is only found, not seen coming about, has no birth.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from linetrail.projections.lines.replay import Replay
from linetrail.projections.lines.states import Line, State
from linetrail.projections.lines.transitions import Hunk, Transition

# Lines that follow each other in a file, behind the number of the first, counted from 1.
Block = tuple[int, Sequence[Line]]
_NO_FILE = State([])


class Lives(NamedTuple):
    """Lines of one file that one change wrote and one change ended; positions are those of the ledger.

    `born` is None where nobody knows; such lines are here only when they ended. `killed` is None where they are still
    there, `lost` is then where they were seen last, if no later state of the file is known to have come from that one.
    `numbers` are those of the lines after their birth, `last_numbers` those before their end.
    """

    path: str
    born: int | None
    born_path: str | None
    killed: int | None
    lost: int | None
    content_hash: str
    hashes: Sequence[str | None]
    numbers: Sequence[int]
    last_numbers: Sequence[int | None]


def in_file(path: str, past: Sequence[Transition]) -> list[Lives]:
    """Return the lives of the lines of a file, in the order in which they were seen first."""
    following = _Following(Replay(past, lambda _: None))
    for at, change in enumerate(past):
        following.go_on(at, change)
    return following.lives(path, past)


def content_hash(hashes: Iterable[str | None]) -> str:
    """Name lines by their hashes, so but for white space."""
    return hashlib.sha256("\n".join(each or "" for each in hashes).encode()).hexdigest()[:16]


def roots(line: Line) -> tuple[Line, ...]:
    """Return the lines, as they were written once, that a line still is: several where it was joined."""
    while line.claim is None and line.origin is not None and not line.also:
        line = line.origin
    if line.claim is not None or line.origin is None:
        return (line,)
    found: list[Line] = []
    waiting, seen = [line], set[Line]()
    while waiting:
        link = waiting.pop()
        if link in seen:
            continue
        seen.add(link)
        if link.claim is not None or link.origin is None:
            found.append(link)
        else:
            waiting += [*link.also, link.origin]
    return tuple(found)


class _Course(NamedTuple):
    """What lines have in common that are one entry."""

    born: int | None
    born_path: str | None
    killed: int | None
    lost: int | None


class _Roots(dict[Line, tuple[Line, ...]]):
    """The lines, as they were written once, that each line still is, but for those of which nothing else is known."""

    def __missing__(self, line: Line) -> tuple[Line, ...]:
        """Look for them once."""
        found = self[line] = tuple([one for one in roots(line) if one.claim is not None or one.hash is not None])
        return found

    def of(self, lines: Iterable[Line]) -> Iterator[Line]:
        """Yield those of all these lines."""
        return chain.from_iterable(map(self.__getitem__, lines))


class _Following:
    """Which lines are there, which came and which went, change by change."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._state = _NO_FILE
        self._roots = _Roots()
        # how many lines of the state at hand are a line that was written once
        self._present: Counter[Line] = Counter()
        self._first: dict[Line, int] = {}  # its number where it was seen first
        self._came: dict[Line, int] = {}  # the last change that brought it
        self._went: dict[Line, list[tuple[int, int]]] = {}  # the changes that took it away, and its number until then
        self._lost: dict[Line, int] = {}  # the last change before it went out of sight
        self._makers: dict[str | None, int] = {}

    def go_on(self, at: int, change: Transition) -> None:
        """Take in the next change."""
        if change.op == "delete":
            known = self._replay.state(change.before_hash or "")
            self._pass(at, known or self._state, _NO_FILE, ())
            return
        if change.after_hash is None:
            return  # a record that says so little that nothing follows from it
        after = self._replay.state(change.after_hash)
        if change.snapshot or after is None:
            self._jump(at, after or _NO_FILE)
            return
        known = self._replay.state(change.before_hash) if change.before_hash else _NO_FILE
        self._pass(at, known or self._state, after, change.hunks or ())
        self._makers.setdefault(change.after_hash, at)

    def lives(self, path: str, past: Sequence[Transition]) -> list[Lives]:
        """Say what became of every line."""
        own = {id(change.claim) for change in _own(path, past) if not change.snapshot}
        lineage = self._lineage(past)
        positions = [change.claim.position for change in past]
        found: dict[_Course, list[tuple[Line, int | None]]] = {}
        for line in self._first:
            end, number = self._end(line, lineage)
            killed = None if end is None else positions[end]
            if line.claim is not None and id(line.claim) in own:
                lost = None if end is not None or line in self._present else self._lost.get(line)
                seen = None if lost is None else positions[lost]
                course = _Course(line.claim.position, line.claim.path or path, killed, seen)
                found.setdefault(course, []).append((line, number))
            elif killed is not None and line.hash is not None:
                found.setdefault(_Course(None, None, killed, None), []).append((line, number))
        return [
            Lives(
                path,
                *course,
                content_hash=content_hash(line.hash for line, _ in lines),
                hashes=[line.hash for line, _ in lines],
                numbers=[self._first[line] for line, _ in lines],
                last_numbers=[number for _, number in lines],
            )
            for course, lines in found.items()
        ]

    def _pass(self, at: int, before: State, after: State, hunks: Sequence[Hunk]) -> None:
        """Go from one state to the next."""
        if before is not self._state:
            self._jump(at, before)
        old, new = _unlike(before, after, hunks)
        went, came = self._numbered(old), self._numbered(new)
        present = self._present
        fresh = [line for line in came if line not in present]
        for blocks, step in ((new, 1), (old, -1)):
            for line in self._roots.of(chain.from_iterable(lines for _, lines in blocks)):
                present[line] = present.get(line, 0) + step
        for line in fresh:
            self._first.setdefault(line, came[line])
            self._lost.pop(line, None)
            self._came[line] = at
        for line, number in went.items():
            if not present[line]:
                del present[line]
                self._went.setdefault(line, []).append((at, number))
        self._state = after

    def _jump(self, at: int, state: State) -> None:
        """Find the file in a state that the last one did not lead to."""
        here = Counter(self._roots.of(state.lines))
        for line in self._present.keys() - here.keys():
            self._lost[line] = max(at - 1, 0)
        for line in self._lost.keys() & here.keys():
            del self._lost[line]
        if here.keys() - self._first.keys():
            for line, number in self._numbered([(1, state.lines)]).items():
                self._first.setdefault(line, number)
        self._present = here
        self._state = state

    def _end(self, line: Line, lineage: set[int]) -> tuple[int | None, int | None]:
        """Return the change that ended a line, and its number until then."""
        if line in self._present:
            return None, None
        ends = [end for end in self._went.get(line, ()) if end[0] >= self._came.get(line, 0)]
        return next((end for end in reversed(ends) if end[0] in lineage), ends[0] if ends else (None, None))

    def _lineage(self, past: Sequence[Transition]) -> set[int]:
        """Return the changes that the last state of the file comes from."""
        last = past[-1]
        at = len(past) - 1 if last.op == "delete" else self._makers.get(last.after_hash)
        found: set[int] = set()
        while at is not None and at not in found:
            found.add(at)
            at = self._makers.get(past[at].before_hash)
        return found

    def _numbered(self, blocks: Iterable[Block]) -> dict[Line, int]:
        """Give each line as it was written once the number where it is found first."""
        found: dict[Line, int] = {}
        for first, lines in blocks:
            for number, written in enumerate(map(self._roots.__getitem__, lines), first):
                for line in written:
                    found.setdefault(line, number)
        return found


def _unlike(before: State, after: State, hunks: Sequence[Hunk]) -> tuple[list[Block], list[Block]]:
    """Return the lines of both states that may differ: those of the hunks, where all others plainly are the same."""
    old: list[Block] = []
    new: list[Block] = []
    a = b = 0
    for hunk in hunks:
        stop = hunk.new_start + len(hunk.hashes)
        if before.lines[a : hunk.start] != after.lines[b : hunk.new_start]:
            break
        old.append((hunk.start + 1, before.lines[hunk.start : hunk.stop]))
        new.append((hunk.new_start + 1, after.lines[hunk.new_start : stop]))
        a, b = hunk.stop, stop
    if before.lines[a:] == after.lines[b:]:
        return old, new
    return [(1, before.lines)], [(1, after.lines)]


def _own(path: str, past: Sequence[Transition]) -> Iterator[Transition]:
    """Yield the changes of the file itself, not those of a file that it began as a copy of."""
    names = {path}
    for change in reversed(past):
        if change.path in names:
            yield change
            if change.op == "rename" and change.from_path is not None:
                names.add(change.from_path)
