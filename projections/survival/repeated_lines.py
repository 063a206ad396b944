"""Find the commit that deleted a line where git follows an equal line elsewhere instead of it.

Where lines repeat, git sees others go from one side to the other than it does commit by commit.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger.observe.substance import line_hash, split
from linetrail.ledger.repository import Repository
from linetrail.projections.git.diff_patch import Hunk, commit_diffs
from linetrail.projections.lines.align import Hashes
from linetrail.projections.lines.states import hashes_of
from linetrail.projections.survival.deleting_commits import Deleting, Gone
from linetrail.projections.survival.deletions import Shrunk


class _Rewrite(NamedTuple):
    """The lines, by their hashes, that one commit took out of a file and put into it."""

    revision: str
    old: frozenset[str]
    new: frozenset[str]

    def shared(self, old: frozenset[str], new: frozenset[str]) -> int:
        """Count how many of these lines it took out or put in."""
        return len(self.old & old) + len(self.new & new)


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
