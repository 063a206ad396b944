"""Find the commit that deleted a line for good: a later commit may bring the line back before another deletes it.

Only a line that was once in its file, and is long enough to say something, can be known again: short ones come again by
chance.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from linetrail.ledger.observe.substance import Split, split
from linetrail.ledger.repository import file_path
from linetrail.projections.blame.moved_blocks import LEAST, weight
from linetrail.projections.git.history import Objects
from linetrail.projections.lines.states import hashes_of
from linetrail.projections.survival.deleting_commits import STILL_THERE, Deleting, Gone


class Lasting(NamedTuple):
    """What took a line away for good, and the last commit that had it again before that, if one had."""

    gone: Gone
    again: str | None = None


class Returning:
    """Answers for the lines of one file of a difference.

    `names` is what it was called; `before` are its lines on the earlier side, `after` those on the later one.
    """

    def __init__(
        self, deleting: Deleting, store: Objects, names: Iterable[str], before: Split, after: Split | None
    ) -> None:
        self._deleting, self._store, self._names = deleting, store, sorted(set(names))
        hashes = hashes_of(before)
        times = Counter(hashes) + Counter(hashes_of(after) if after else ())
        told = zip(hashes, before.substance, strict=True)
        self._once = {line for line, text in told if times[line] == 1 and weight(text) >= LEAST}
        self._in: dict[str, frozenset[str]] = {}
        self._later: dict[str, Sequence[str]] = {}

    def lasting(self, line: str | None, gone: Gone) -> Lasting:
        """Return what took a line with this hash away for good, where `gone` is what took it from its place."""
        if gone.revision is None or line not in self._once:
            return Lasting(gone)
        end = STILL_THERE
        for commit in reversed([gone.revision, *self._after(gone.revision)]):
            if line in self._lines(commit):
                return Lasting(end, commit) if end.ended or not self._deleting.committed else Lasting(gone)
            end = Gone(commit)
        return Lasting(gone)

    def since(self, revision: str) -> Gone:
        """Return what took a line away that was seen to be there on top of a commit, and in no later one."""
        return Gone(next(iter(self._after(revision)), None))

    def _after(self, revision: str) -> Sequence[str]:
        if revision not in self._later:
            self._later[revision] = self._deleting.later(revision, self._names)
        return self._later[revision]

    def _lines(self, revision: str) -> frozenset[str]:
        """Return those of the lines that can be known again which the file has in a commit."""
        if revision not in self._in:
            contents = (self._store.read(f"{revision}:{file_path(name)}") for name in self._names)
            lines = (line for content in contents if content for line in hashes_of(split(content)))
            self._in[revision] = frozenset(self._once.intersection(lines))
        return self._in[revision]
