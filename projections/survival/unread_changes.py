"""Find what an agent may have changed where no line of it is recorded, as in a file too large to read.

The ledger names the contents that such a change led from and to. What differs by just that is the agent's; any commit
made after the change was recorded may hold it, whatever its author's clock said.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from linetrail.ledger.event.event import rfc3339
from linetrail.ledger.files import digest
from linetrail.ledger.repository import file_path
from linetrail.projections.git.history import Objects
from linetrail.projections.git.target import Target
from linetrail.projections.lines.transitions import Claim, Transition
from linetrail.projections.survival.deleting_commits import Deleting

_COMMITTED = re.compile(rb"^committer .* (\d+) [-+]\d+$", re.MULTILINE)
_PARENT = re.compile(rb"^parent ([0-9a-f]+)$", re.MULTILINE)
_TO_SECOND = len("2026-01-05T09:01:00")


class Unread:
    """The unread changes of agents to one file, in the order of the ledger.

    Imported records are left out: the commit they name is often not the one they were made on.
    """

    def __init__(self, changes: Sequence[Transition], deleting: Deleting, store: Objects) -> None:
        self._changes = [change for change in changes if change.claim.via != "import"]
        self._deleting, self._store = deleting, store
        self._digest = lru_cache(None)(self._digest_at)
        self.made = lru_cache(None)(self._made)
        self.may_be_in = lru_cache(None)(self._may_be_in)

    def left(self, after: Target) -> Claim | None:
        """Return the claim of who alone made what is on the disk out of the last commit."""
        return self._between(after.head, lambda _: digest(after.content)) if after.head else None

    def _made(self, revision: str) -> Claim | None:
        """Return the claim of who alone made what a commit has out of what its only parent has."""
        parents = _PARENT.findall(self._headers(revision))
        if len(parents) != 1:
            return None
        return self._between(parents[0].decode(), lambda path: self._digest(revision, path))

    def _may_be_in(self, revision: str) -> bool:
        """Return whether a commit may hold one of the changes: it came after the one on which that was recorded."""
        return any(self._came_before(change.claim, revision) for change in self._changes)

    def _came_before(self, claim: Claim, revision: str) -> bool:
        there = claim.vcs_revision
        if there is not None and self._deleting.holds(there):
            return there != revision and self._deleting.reaches(there, revision)
        # that commit was rewritten since; of those that may have taken its place, only the committer's clock is new
        found = _COMMITTED.search(self._headers(revision))
        committed = rfc3339(int(found[1]) * 1_000_000_000) if found else ""
        return committed[:_TO_SECOND] >= (claim.occurred_at or "")[:_TO_SECOND]

    def _between(self, revision: str, after: Callable[[str], str | None]) -> Claim | None:
        """Return who changed the content of a commit into the one `after`, in one go or in several of one session."""
        for at, first in enumerate(self._changes):
            if first.before_hash is None or first.before_hash != self._digest(revision, first.from_path or first.path):
                continue
            steps: list[Transition] = []
            for change in self._changes[at:]:
                if not steps or change.before_hash == steps[-1].after_hash:
                    steps.append(change)
                    if change.after_hash == after(change.path):
                        return _claim(steps)
        return None

    def _headers(self, revision: str) -> bytes:
        return (self._store.read(revision) or b"").partition(b"\n\n")[0]

    def _digest_at(self, revision: str, path: str) -> str | None:
        content = self._store.read(f"{revision}:{file_path(path)}")
        return None if content is None else digest(content)


def _claim(steps: Sequence[Transition]) -> Claim | None:
    """Return the claim behind some changes; of several, none is known to be the one that counts."""
    last = steps[-1].claim
    if any(step.claim.session_id != last.session_id for step in steps):
        return None
    return last if len(steps) == 1 else last._replace(event_id=None, tool_call_id=None, tool_name=None)
