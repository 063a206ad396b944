"""Follow lines past the commits that only moved them, within a file or out of another one.

`git blame -M -C` does that and takes up to twice the time. So git is first asked what a commit deleted, in any file;
only where that has lines which the same commit added here, it is asked where these come from.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING

from linetrail.ledger.errors import GitError
from linetrail.ledger.repository import Repository, file_path, stored_path
from linetrail.ledger.substance import split
from linetrail.projections.history import Blamed, Blaming, Objects, run
from linetrail.projections.target import Target

if TYPE_CHECKING:
    import subprocess

# A block with fewer letters and digits may stand anywhere: what git's -M takes for a move, too.
LEAST = 20
# Questions about moved lines that git is at work on at a time.
AT_WORK = 2
FOLLOWING = ("-M", "-C")

_DIFF = ("diff-tree", "--stdin", "-r", "-w", "-U0", "--no-color", "--no-renames", "--diff-filter=DMT")
_PLAIN = ("--no-ext-diff", "--no-textconv", "--ignore-submodules")
_END = b"end\n"
_SIGNS = bytes(sign for sign in range(128) if not chr(sign).isalnum())


class Deletions:
    """What commits deleted in all files they touched; the process behind it starts at the first question."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._process: subprocess.Popen[bytes] | None = None
        # hashes of the lines without their white space
        self._known: dict[str, frozenset[int]] = {}

    def of(self, revision: str) -> Collection[int]:
        """Return the hashes of what a commit deleted; nothing where it is a merge, or where objects are missing."""
        if revision not in self._known:
            self._known[revision] = frozenset(map(hash, self._ask(revision)))
        return self._known[revision]

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.communicate()
            self._process = None

    def _ask(self, revision: str) -> Iterator[bytes]:
        process = self._process = self._process or run(self._repository, *_DIFF, *_PLAIN)
        if process.stdin is None or process.stdout is None:
            return
        # git prints what is no name of an object as it is, and then lets go of all it has
        process.stdin.write(revision.encode() + b"\n" + _END)
        process.stdin.flush()
        for line in process.stdout:
            if line == _END:
                return
            if line.startswith(b"-"):
                yield b"".join(line[1:].split())
        self.close()  # an object that this clone lacks was the end of it


class Moves:
    """Follow lines of many files; what a commit deleted is asked once."""

    def __init__(self, repository: Repository, store: Objects, flags: Sequence[str] = ()) -> None:
        self._repository, self._store, self._flags = repository, store, (*flags, *FOLLOWING)
        self._deletions = Deletions(repository)

    def close(self) -> None:
        """End the process behind the deletions."""
        self._deletions.close()

    def followed(self, target: Target, blamed: Blamed, wanted: Iterable[int]) -> Blamed:
        """Return git's answer with the wanted lines, by index, where they were before they were moved."""
        lines, commits = list(blamed.lines), dict(blamed.commits)
        for places, found in self._answers(target, blamed, self._moved(target, blamed, wanted)):
            commits |= found.commits
            for at, line in zip(places, found.lines, strict=True):
                lines[at] = line
        if lines == blamed.lines:
            return blamed
        left = {line.revision for line in lines}
        return Blamed(lines, {revision: commit for revision, commit in commits.items() if revision in left})

    def _moved(self, target: Target, blamed: Blamed, wanted: Iterable[int]) -> Iterator[list[int]]:
        """Yield the lines that each commit added here and deleted elsewhere, by index, in the order they had in it."""
        substance = split(target.content).substance
        added: dict[tuple[str | None, str], list[int]] = defaultdict(list)
        for at in wanted:
            added[blamed.lines[at].revision, blamed.lines[at].filename].append(at)
        for (revision, _), places in added.items():
            deleted = self._deletions.of(revision) if revision else self._deleted_since(target, substance)
            if deleted:
                places.sort(key=lambda at: blamed.lines[at].original_line)
                if moved := list(_moved_blocks(places, blamed, substance, deleted)):
                    yield moved

    def _deleted_since(self, target: Target, substance: Sequence[bytes]) -> Collection[int]:
        """Return the lines of this file in the last commit that the work tree has not more often."""
        before = Counter(split(self._store.read(f"{target.head}:{file_path(target.path)}") or b"").substance)
        now = Counter(substance)
        return {hash(line) for line, times in before.items() if now[line] <= times}

    def _answers(
        self, target: Target, blamed: Blamed, moved: Iterable[list[int]]
    ) -> Iterator[tuple[Sequence[int], Blamed]]:
        at_work: deque[tuple[list[int], Blaming]] = deque()
        for places in moved:
            at_work.append((places, self._asked(target, blamed, places)))
            if len(at_work) == AT_WORK:
                yield from _answer(*at_work.popleft())
        for places, blaming in at_work:
            yield from _answer(places, blaming)

    def _asked(self, target: Target, blamed: Blamed, places: Sequence[int]) -> Blaming:
        revision, _, filename, _ = blamed.lines[places[0]]
        if revision is not None:
            target = Target(stored_path(filename), b"", revision, revision)
        return Blaming(self._repository, target, self._flags, [blamed.lines[at].original_line for at in places])


def _answer(places: list[int], blaming: Blaming) -> Iterator[tuple[Sequence[int], Blamed]]:
    with closing(blaming):
        try:
            answer = blaming.answer()
        except GitError:
            return  # objects are missing: the lines stay where they are
    if len(answer.lines) == len(places):
        yield places, answer


def _moved_blocks(
    places: Sequence[int], blamed: Blamed, substance: Sequence[bytes], deleted: Collection[int]
) -> Iterator[int]:
    """Yield the lines of each block, from the first to the last that was deleted as well, if they say enough."""
    for block in _runs(places, [blamed.lines[at].original_line for at in places]):
        found = [index for index, at in enumerate(block) if hash(substance[at]) in deleted]
        if sum(len(substance[block[index]].translate(None, _SIGNS)) for index in found) >= LEAST:
            yield from block[found[0] : found[-1] + 1]


def _runs(places: Sequence[int], numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    starts = [0, *(at + 1 for at, (one, two) in enumerate(pairwise(numbers)) if two != one + 1)]
    return (places[start:stop] for start, stop in zip(starts, [*starts[1:], len(places)], strict=True))
