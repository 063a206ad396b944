"""Return what happened, newest first, or wait for events that are appended and yield them.

Waiting costs a look at two names of files. What was told last is remembered by its id, since sealing moves lines from
one file into another, and a merge may put others in front of them.
"""

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from linetrail.ledger.log.segments import SEGMENTS
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository
from linetrail.projections.git import target
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.arguments import prefixes
from linetrail.queries.ask.ask import answer

SECONDS = 0.5
_END = "select event_id, position from v_events order by position desc limit 1"
_PLACE = "select position from v_events where event_id = $id"


def log(
    repository: Repository,
    tables: Tables,
    *,
    path: str | None = None,
    directory: str | None = None,
    denied: bool = False,
    **filters: Any,
) -> Table:
    """Return the rows of the question `log`; `filters` are its parameters, and ids may be abbreviated."""
    return answer(tables, "log", **whole(repository, tables, path=path, directory=directory, denied=denied, **filters))


def whole(
    repository: Repository,
    tables: Tables,
    *,
    path: str | None = None,
    directory: str | None = None,
    denied: bool = False,
    **filters: Any,
) -> dict[str, Any]:
    """Return filters as the question takes them: abbreviated ids completed, a path spelled as in the ledger."""
    if filters.get("intent"):
        filters["intent"] = prefixes.intent(repository, filters["intent"], tables)
    if filters.get("session"):
        filters["session"] = prefixes.session(tables, filters["session"])
    stored = None if path is None else target.locate(repository, directory or repository.root, path)
    return filters | {"path": None if stored == "." else stored, "verdict": "deny" if denied else None}


class Follower:
    """A ledger that is watched from its current end on."""

    def __init__(self, repository: Repository, tables: Tables) -> None:
        self._repository = repository
        self._seen: tuple[object, ...] = ()  # something may have come since the tables were opened
        self._last = next(iter(tables.ask(_END).rows), (None, 0))

    def news(self, wait: Callable[[float], None] = time.sleep) -> Iterator[tuple[Tables, int]]:
        """Yield, each time events were appended, the tables and the position after which events are new; never end."""
        while True:
            wait(SECONDS)
            found = stamp(self._repository)
            if found == self._seen:
                continue
            with open_tables(self._repository) as tables:
                after, end = self._told_up_to(tables), next(iter(tables.ask(_END).rows), (None, 0))
                if end[1] > after:
                    yield tables, after
                self._seen, self._last = found, end

    def _told_up_to(self, tables: Tables) -> int:
        """Return the position of the last event that was yielded, also after sealing or a merge has moved it."""
        event_id, position = self._last
        if event_id is None:
            return 0
        found = tables.ask(_PLACE, {"id": event_id}).rows
        return int(found[0][0]) if found else int(position)


def stamp(repository: Repository) -> tuple[object, ...]:
    """Return how the files of a ledger look, which is otherwise once something was appended or sealed."""
    return (_looks(Ledger(repository).tail_path()), _looks(os.path.join(repository.folder, SEGMENTS)))


def _looks(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
