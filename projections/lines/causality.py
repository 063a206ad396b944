"""Hold recorded owners against git: nobody wrote a line after the commit that has it.

The order of git decides where a hook saw on top of which commit a change was made; only the time of a record that was
imported is compared with that of the commit, by the second, as git knows no parts of one.
"""

from functools import lru_cache

from linetrail.ledger.event.event import rfc3339
from linetrail.ledger.repository import Repository, git
from linetrail.projections.git.history import Blamed, Commit
from linetrail.projections.lines.transitions import IMPORT, Claim

# So many pairs of commits are kept at hand.
KEPT = 100_000
_TO_SECOND = len("2026-01-05T09:01:00")


def made_at(commit: Commit) -> str:
    """Return when a commit was made, UTC, to the second."""
    return rfc3339(commit.committer_time * 1_000_000_000)[:_TO_SECOND]


def latest(blamed: Blamed) -> str | None:
    """Return when the youngest commit was made that has a line; None where some line is in no commit."""
    if any(line.revision is None for line in blamed.lines):
        return None
    return max(map(made_at, blamed.commits.values()), default=None)


class Causality:
    """Which recorded changes may have written what commits of one repository have."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self.is_in = lru_cache(KEPT)(self._is_ancestor)

    def allows(self, claim: Claim, revision: str | None, made: str | None) -> bool:
        """Return whether a change may have written a line that is in this commit, which was made at this time."""
        if revision is None or made is None or (claim.occurred_at or "")[:_TO_SECOND] <= made:
            return True
        if claim.via == IMPORT:
            return False
        return claim.vcs_revision is None or not self.is_in(revision, claim.vcs_revision)

    def _is_ancestor(self, revision: str, of: str) -> bool:
        return git(self._repository, "merge-base", "--is-ancestor", revision, of) is not None
