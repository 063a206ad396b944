"""Work out a difference line by line: who wrote what came, whose it was that went, and who took it away.

What is taken away in one place and put in another was moved, not deleted. Within a file the rule is the one by which
authors are followed; from one file to another at least two lines of substance have to go together. Each line that went
is paired with one that came, so a copy is no move. Where lines repeat, git sees others go from one side to the other
than it does commit by commit, and follows an equal line elsewhere instead of the one that a commit deleted.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import NamedTuple

from linetrail.ledger.observe.substance import line_hash, split
from linetrail.ledger.repository import Repository
from linetrail.projections.blame.blame import Answer, Blamer
from linetrail.projections.git.diff_patch import FileDiff, Hunk, commit_diffs, file_diffs
from linetrail.projections.git.diff_sides import Sides
from linetrail.projections.git.history import GitLine, Objects
from linetrail.projections.git.target import Target, TargetError, in_worktree
from linetrail.projections.lines.align import Hashes
from linetrail.projections.lines.attribution import Attribution, Owner, judge
from linetrail.projections.lines.moves import moved
from linetrail.projections.lines.states import SAME, hashes_of
from linetrail.projections.survival.deleting_commits import Deleting, Gone
from linetrail.projections.survival.deletions import Deleters, Shrunk
from linetrail.projections.tables.prefix import Cut
from linetrail.projections.tables.tables import open_tables

# What happened to a line. One that moved is there twice: where it left, and where it is now.
ADDED, DELETED, MOVED, LEFT = "added", "deleted", "moved", "left"

_Rewrites = Callable[[Shrunk, Sequence[Hunk], Mapping[int, Gone]], dict[int, Gone]]
[_NOBODY] = judge([Owner(None, (), mixed=False, relation=SAME)], [GitLine(None, 0, "", None)], {}, {})
# So many lines of substance say by themselves that a block went to another file.
LEAST_ACROSS = 2


class _Rewrite(NamedTuple):
    """The lines, by their hashes, that one commit took out of a file and put into it."""

    revision: str
    old: frozenset[str]
    new: frozenset[str]

    def shared(self, old: frozenset[str], new: frozenset[str]) -> int:
        """Count how many of these lines it took out or put in."""
        return len(self.old & old) + len(self.new & new)


class Place(NamedTuple):
    """A line of one side: the number of its file in the difference, from 0, and its own in the file, from 1."""

    file: int
    line_no: int


class _Side(NamedTuple):
    """Lines of one or more files in a row; a hash of None separates what does not follow each other."""

    hashes: list[str | None]
    places: list[Place | None]

    def lines(self) -> dict[int, str | None]:
        """Return the lines there are, by their places here."""
        return {at: line for at, line in enumerate(self.hashes) if line is not None}


class ChangedLine(NamedTuple):
    """One line of a difference.

    `line_no` counts on the later side, of a deleted line on the earlier one; `old_path` and `old_line_no` are where it
    was. `by` wrote it; `deleted_by` took it away, where somebody did.
    """

    change: str
    path: str
    old_path: str | None
    line_no: int
    old_line_no: int | None
    text: bytes
    by: Attribution
    deleted_by: Attribution | None


class ChangedFile(NamedTuple):
    """One file of a difference, and for each of its hunks the lines that went, then those that came."""

    diff: FileDiff
    hunks: Sequence[Sequence[ChangedLine]]


class Difference(NamedTuple):
    """Two sides compared. `cut` says that a shallow clone hides who wrote some of it."""

    sides: Sides
    files: Sequence[ChangedFile]
    cut: bool

    def lines(self) -> Iterator[ChangedLine]:
        """Yield every line once, in the order of files and places."""
        every = (line for file in self.files for hunk in file.hunks for line in hunk)
        return (line for line in every if line.change != LEFT)


class _Both(NamedTuple):
    """One file on both sides, where it has lines there that can be spoken of."""

    before: Target | None
    after: Target | None


class _Told(NamedTuple):
    """All that is known of the lines of a difference, by file and by place."""

    files: Sequence[FileDiff]
    goes: Mapping[Place, Place]
    comes: Mapping[Place, Place]
    old: Mapping[int, Answer]
    new: Mapping[int, Answer]
    deleted_by: Mapping[Place, Attribution]


def difference(repository: Repository, sides: Sides, paths: Sequence[str] = (), until: Cut | None = None) -> Difference:
    """Compare two sides, below these stored paths; what is known of authors is what was recorded `until` then."""
    files = file_diffs(repository, sides, paths)
    goes = moves(files)
    with closing(Objects(repository)) as store:
        contents = [_both(repository, sides, file, store) for file in files]
        gone = {at: left for at, file in enumerate(files) if (left := _gone(at, file, goes)) and contents[at].before}
        came = {at for at, file in enumerate(files) if any(hunk.new for hunk in file.hunks) and contents[at].after}
        with Blamer(repository, until) as blamer:
            old, new = _blamed(blamer, contents, gone.keys(), came)
            shrunk = {
                at: Shrunk(before, old[at], contents[at].after, numbers)
                for at, numbers in gone.items()
                if (before := contents[at].before)
            }
            deleted_by = {}
            if shrunk:
                deleting = Deleting(repository, store, blamer, sides)
                with open_tables(repository, until=until) as tables:
                    deleters = Deleters(repository, tables, store, deleting)
                    rewrites = partial(rewritten, repository, deleting)
                    deleted_by = _deleted_by(deleters, rewrites, files, shrunk, goes)
    told = _Told(files, goes, {there: here for here, there in goes.items()}, old, new, deleted_by)
    changed = [
        ChangedFile(file, [[*_left(told, at, hunk), *_arrived(told, at, hunk)] for hunk in file.hunks])
        for at, file in enumerate(files)
    ]
    return Difference(sides, changed, any(answer.cut for answer in (*old.values(), *new.values())))


def _both(repository: Repository, sides: Sides, file: FileDiff, store: Objects) -> _Both:
    before = after = None
    if file.hunks and file.old is not None and file.old_blob is not None:
        before = Target(file.old, store.read(file.old_blob) or b"", sides.before, sides.before)
    if file.hunks and file.new is not None and sides.after is not None:
        after = Target(file.new, store.read(file.new_blob or "") or b"", sides.after, sides.after)
    elif file.hunks and file.new is not None:
        try:
            after = in_worktree(repository, file.new)
        except TargetError:
            after = None  # git reads it through a filter: what is on the disk are not the lines of the difference
    return _Both(before, after)


def _gone(at: int, file: FileDiff, goes: Mapping[Place, Place]) -> list[int]:
    numbers = (hunk.old_start + step for hunk in file.hunks for step in range(len(hunk.old)))
    return [number for number in numbers if Place(at, number) not in goes]


def _blamed(
    blamer: Blamer, contents: Sequence[_Both], gone: Collection[int], came: Collection[int]
) -> tuple[dict[int, Answer], dict[int, Answer]]:
    """Ask for all contents in a row, so that git is at work for the next ones meanwhile."""
    wanted = [(at, side) for at in range(len(contents)) for side, which in enumerate((gone, came)) if at in which]
    targets = [target for at, side in wanted if (target := contents[at][side])]
    blamer.expect(targets)
    answers = dict(zip(wanted, blamer.answers(targets), strict=True))
    old, new = ({at: answer for (at, which), answer in answers.items() if which == side} for side in (0, 1))
    return old, new


def _deleted_by(
    deleters: Deleters,
    rewrites: _Rewrites,
    files: Sequence[FileDiff],
    shrunk: Mapping[int, Shrunk],
    goes: dict[Place, Place],
) -> dict[Place, Attribution]:
    """Say who deleted each line; those that history kept did not go, and join those that moved."""
    found: dict[Place, Attribution] = {}
    for at, file in shrunk.items():
        told = deleters.gone(file)
        goes |= {Place(at, old): Place(at, new) for old, new in _kept(at, file, files[at].hunks, told, goes)}
        left = file._replace(numbers=[number for number in file.numbers if Place(at, number) not in goes])
        told |= rewrites(left, files[at].hunks, told)
        named = zip(left.numbers, deleters.deleters(left, told), strict=True)
        found |= {Place(at, number): by for number, by in named}
    return found


def _kept(
    at: int, file: Shrunk, hunks: Sequence[Hunk], told: Mapping[int, Gone], goes: Mapping[Place, Place]
) -> Iterator[tuple[int, int]]:
    """Pair lines that a difference takes away, and history does not, with those it puts there that history had.

    Where lines repeat, git sees others go than it does commit by commit.
    """
    taken = set(goes.values())
    came = {hunk.new_start + step: line_hash(line) for hunk in hunks for step, line in enumerate(hunk.new)}
    had = [one.now for one in told.values() if one.now in came and Place(at, one.now) not in taken]
    free: dict[str, list[int]] = defaultdict(list)
    for new in sorted(had, reverse=True):
        free[came[new]].append(new)
    lines = split(file.before.content).substance
    for old in file.numbers:
        places = free.get(line_hash(lines[old - 1]))
        if told[old].now is not None and places:
            yield old, places.pop()


def _left(told: _Told, at: int, hunk: Hunk) -> Iterator[ChangedLine]:
    file = told.files[at]
    for number, text in enumerate(hunk.old, hunk.old_start):
        here = Place(at, number)
        there = told.goes.get(here)
        if there is None:
            by = _author(told.old.get(at), number)
            deleted_by = told.deleted_by.get(here, _NOBODY)
            yield ChangedLine(DELETED, file.path, file.old, number, number, text, by, deleted_by)
        else:
            by = _author(told.new.get(there.file), there.line_no)
            path = told.files[there.file].path
            yield ChangedLine(LEFT, path, file.old, there.line_no, number, text, by, None)


def _arrived(told: _Told, at: int, hunk: Hunk) -> Iterator[ChangedLine]:
    file = told.files[at]
    for number, text in enumerate(hunk.new, hunk.new_start):
        by = _author(told.new.get(at), number)
        origin = told.comes.get(Place(at, number))
        if origin is None:
            yield ChangedLine(ADDED, file.path, file.old, number, None, text, by, None)
        else:
            old_path = told.files[origin.file].old
            yield ChangedLine(MOVED, file.path, old_path, number, origin.line_no, text, by, None)


def _author(answer: Answer | None, number: int) -> Attribution:
    lines = answer.attributions if answer else ()
    return lines[number - 1] if number <= len(lines) else _NOBODY


def moves(files: Sequence[FileDiff]) -> dict[Place, Place]:
    """Return, for each line that went and came again, where it came."""
    found: dict[Place, Place] = {}
    for at in range(len(files)):
        found |= _paired(files, [at], found, least=1)
    return found | _paired(files, range(len(files)), found, least=LEAST_ACROSS)


def _paired(
    files: Sequence[FileDiff], chosen: Sequence[int], taken: Mapping[Place, Place], least: int
) -> dict[Place, Place]:
    gone, came = _side(_lines_gone(files, chosen), set(taken)), _side(_lines_come(files, chosen), set(taken.values()))
    pairs = moved(gone.lines(), came.lines(), least=least)
    return {old: new for a, b in pairs if (old := gone.places[a]) and (new := came.places[b])}


def _side(blocks: Iterable[tuple[int, int, Sequence[bytes]]], taken: set[Place]) -> _Side:
    side = _Side([], [])
    for file, start, lines in blocks:
        for at, line in enumerate(lines, start):
            place = Place(file, at)
            side.hashes.append(None if place in taken else line_hash(line))
            side.places.append(None if place in taken else place)
        side.hashes.append(None)
        side.places.append(None)
    return side


def _lines_gone(files: Sequence[FileDiff], chosen: Iterable[int]) -> Iterator[tuple[int, int, Sequence[bytes]]]:
    return ((at, hunk.old_start, hunk.old) for at in chosen for hunk in files[at].hunks if hunk.old)


def _lines_come(files: Sequence[FileDiff], chosen: Iterable[int]) -> Iterator[tuple[int, int, Sequence[bytes]]]:
    return ((at, hunk.new_start, hunk.new) for at in chosen for hunk in files[at].hunks if hunk.new)


def rewritten(
    repository: Repository, deleting: Deleting, file: Shrunk, hunks: Sequence[Hunk], told: Mapping[int, Gone]
) -> dict[int, Gone]:
    """Return, for the lines of which history tells no end, the commit that is to be named.

    It is the last one that took a line like it out of the file, else the one that did most of what the hunk around it
    says. `told` is what history says; what is not committed has no such commit.
    """
    left = sorted(_unsettled(file.numbers, hashes_of(split(file.before.content)), told)) if deleting.committed else []
    if not left:
        return {}
    rewrites = list(_rewrites(repository, deleting, file))
    found = {}
    for hunk in hunks if rewrites else ():
        old, new = list(map(line_hash, hunk.old)), _hashes(hunk.new)
        inside = left[bisect_left(left, hunk.old_start) : bisect_left(left, hunk.old_start + len(old))]
        most = max(rewrites, key=lambda one: one.shared(frozenset(old), new)) if inside else None
        for number in inside:
            line = old[number - hunk.old_start]
            last = next((one for one in rewrites if line in one.old), most)
            found[number] = Gone(last and last.revision)
    return found


def _unsettled(numbers: Sequence[int], hashes: Hashes, told: Mapping[int, Gone]) -> Iterator[int]:
    """Yield the lines that neither went themselves, as history has it, nor have an equal one that did instead."""
    asked = frozenset(numbers)
    instead = Counter(hashes[at - 1] for at, one in told.items() if one.ended and at not in asked)
    for number in numbers:
        if told[number].ended:
            continue
        if not instead[hashes[number - 1]]:
            yield number
        instead[hashes[number - 1]] -= 1


def _rewrites(repository: Repository, deleting: Deleting, file: Shrunk) -> Iterator[_Rewrite]:
    """Yield what each commit did to a file, the last one first, and merges after all others."""
    names = deleting.names(file.before.path) | ({file.after.path} if file.after else set())
    for commits in deleting.latest():
        for revision, found in commit_diffs(repository, commits, names):
            old = (line for hunk in found.hunks for line in hunk.old)
            new = (line for hunk in found.hunks for line in hunk.new)
            yield _Rewrite(revision, _hashes(old), _hashes(new))


def _hashes(lines: Iterator[bytes] | Sequence[bytes]) -> frozenset[str]:
    return frozenset(map(line_hash, lines))
