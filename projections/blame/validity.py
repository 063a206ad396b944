"""Decide whether a remembered answer of `blame` still holds after more was recorded or committed.

Nobody wrote a line after the commit that has it (`causality`), so what is recorded later says nothing of the lines of a
file that is committed as it is, unless it speaks of this file.
"""

from collections.abc import Callable, Collection
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from linetrail.ledger.repository import Repository, git, stored_path
from linetrail.projections.blame.answer_cache import Made
from linetrail.projections.statements import statement

if TYPE_CHECKING:
    from linetrail.projections.tables.tables import Tables  # an answer that is new needs no database

# After so many more events an answer is made anew.
MAX_EVENTS = 5_000
# Events that say nothing of who wrote a line.
_SILENT = (
    "commit.observed",
    "decision.recorded",
    "intent.changed",
    "intent.cleared",
    "intent.completed",
    "intent.created",
    "intent.selected",
    "lease.broken",
    "ledger.repaired",
    "ledger.sealed",
    "lesson.recorded",
    "prompt.submitted",
    "recovery_point.marked",
    "session.ended",
    "session.started",
    "thought.recorded",
    "tool.completed",
    "tool.failed",
    "tool.requested",
    "usage.recorded",
    "work.moved",
)
_LAST = "select position, event_id from events where position > $after order by position desc limit 1"
_AT = "select event_id from events where position = $position"


class _Change(NamedTuple):
    """What one later event says of a file; `since` as in `Claim.since`."""

    event_type: str
    path: str | None
    from_path: str | None
    vcs_revision: str | None
    since: str


class Validity:
    """What one state of a ledger and of git leaves of the answers that were made before."""

    def __init__(self, repository: Repository, ledger: str, tables: "Callable[[], Tables]") -> None:
        self._repository, self._ledger, self._tables = repository, ledger, tables
        self._changes = lru_cache(None)(self._changed_since)
        self._touched = lru_cache(None)(self._touched_since)

    @cached_property
    def _last(self) -> tuple[int, str | None]:
        tables = self._tables()
        parts = [tables.parts[-1].first, 0]
        rows = next((rows for after in parts if (rows := tables.ask(_LAST, {"after": after}).rows)), ())
        return (rows[0][0], rows[0][1]) if rows else (0, None)

    def made(self, head: str | None, names: Collection[str], latest: str | None) -> Made:
        """Describe an answer that is made now."""
        return Made(self._ledger, *self._last, head, sorted(names), latest)

    def is_new(self, made: Made, head: str | None) -> bool:
        """Return whether nothing was recorded or committed since an answer was made."""
        return made.ledger == self._ledger and made.head == head

    def holds(self, made: Made, head: str | None) -> bool:
        """Return whether nothing that was recorded or committed since speaks of the lines of an answer."""
        if made.head != head and (made.head is None or head is None or self._is_touched(made, head)):
            return False
        if made.ledger == self._ledger:
            return True
        changes = self._changes(made.position, made.event)
        return changes is not None and not any(_speaks(change, made, head) for change in changes)

    def _is_touched(self, made: Made, head: str) -> bool:
        touched = self._touched(made.head, head)
        return touched is None or not touched.isdisjoint(made.names)

    def _changed_since(self, position: int, event: str | None) -> list[_Change] | None:
        """Return what later events say; None where the events up to this one are not those that they were."""
        tables = self._tables()
        if event is None or tables.ask(_AT, {"position": position}).rows != [(event,)]:
            return None
        asked = {"position": position, "silent": list(_SILENT), "limit": MAX_EVENTS}
        rows = [_Change(*row) for row in tables.ask(statement("said_since"), asked).rows]
        return rows if len(rows) < MAX_EVENTS else None

    def _touched_since(self, old: str, new: str) -> frozenset[str] | None:
        """Return the files that commits changed from one to another; None where the other did not come after it."""
        if git(self._repository, "merge-base", "--is-ancestor", old, new) is None:
            return None
        told = git(self._repository, "log", "-m", "--no-renames", "--format=", "--name-only", "-z", f"{old}..{new}")
        if told is None:
            return None
        return frozenset(stored_path(name.decode(errors="surrogateescape")) for name in told.split(b"\0") if name)


def _speaks(change: _Change, made: Made, head: str | None) -> bool:
    """Return whether an event may say something of the lines of an answer."""
    if change.event_type == "gate.decided":
        return made.latest is None  # what was refused may have run, and is in no commit of before
    if change.path is None or made.latest is None or not {change.path, change.from_path}.isdisjoint(made.names):
        return True
    if change.since:
        return change.since <= made.latest
    return change.vcs_revision not in {made.head, head} or change.vcs_revision is None
