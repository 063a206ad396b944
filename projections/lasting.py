"""Find the commit that took a line away for good: one that has it at another place took nothing away."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger.repository import file_path
from linetrail.ledger.substance import split
from linetrail.projections.align import Hashes, trivial
from linetrail.projections.deleting_commits import STILL_THERE, Deleting, Gone
from linetrail.projections.history import Objects
from linetrail.projections.states import hashes_of


class Lasting(NamedTuple):
    """What took a line away for good, and the commit that had it at another place before that, if one did."""

    gone: Gone
    moved: str | None = None


class Moved:
    """Answers for the lines of one file of a difference; `names` is what it was called, `hashes` are its lines."""

    def __init__(self, deleting: Deleting, store: Objects, names: Sequence[str], hashes: Hashes) -> None:
        self._deleting, self._store, self._names = deleting, store, names
        self._before = Counter(hashes)
        self._at: dict[str, Mapping[str | None, int]] = {}

    def lasting(self, line: str | None, gone: Gone) -> Lasting:
        """Return what took a line with this hash away for good, where `gone` is what took it from its place."""
        if gone.revision is None or line is None or trivial(line) or not self._has(gone.revision, line):
            return Lasting(gone)
        moved = gone.revision
        for commit in self._deleting.later(moved, self._names):
            if not self._has(commit, line):
                return Lasting(Gone(commit), moved)
            moved = commit
        return Lasting(STILL_THERE, moved)

    def _has(self, revision: str, line: str) -> bool:
        if revision not in self._at:
            contents = (self._store.read(f"{revision}:{file_path(name)}") for name in dict.fromkeys(self._names))
            self._at[revision] = Counter(one for content in contents if content for one in hashes_of(split(content)))
        return self._at[revision].get(line, 0) >= self._before[line]
