"""Read which part of the ledger existed at an event, at a moment, or when a commit was made.

A text that may mean more than one of these is refused, whatever is likelier: an answer about another moment than the
one that was meant looks like any other answer.
"""

import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from linetrail.ledger.errors import UsageError
from linetrail.ledger.log import segments
from linetrail.ledger.log.extent import Run
from linetrail.ledger.repository import FOLDER, Repository, git, require_ledger
from linetrail.projections.tables.partitions import Parts
from linetrail.projections.tables.prefix import Cut, before, begins, cut, reaching, up_to
from linetrail.projections.tables.tables import Tables, tables_over
from linetrail.queries.arguments.moments import FORMS, moment
from linetrail.queries.render.text import counted
from linetrail.queries.statements import statement

# Fewer characters of an id are taken for something else: `7d` is a week.
_ID = re.compile(r"[0-9a-f]{4,8}|[0-9a-f]{8}-[0-9a-f-]*")
MAX_NAMED = 5


def moved_back(repository: Repository, text: str, *, keep: bool = True) -> Cut:
    """Return the part of the ledger that existed at the event, moment or commit that a text names."""
    runs: list[Run] = []

    def noted(all_of_them: Sequence[Run]) -> Sequence[Run]:
        runs[:] = all_of_them
        return all_of_them

    parts = Parts(require_ledger(repository), keep=keep).current(until=noted)
    with tables_over(repository, parts, keep=keep) as tables:
        whole = _Whole(repository, tables, runs)
        meanings = whole.meanings(text.strip())
        if len(meanings) > 1:
            raise _ambiguous(text, list(meanings))
        if not meanings:
            raise _unknown(text, repository)
        [(meaning, lines)] = meanings.items()
        return cut(meaning, runs, lines())


class _Whole(NamedTuple):
    """The ledger as it is now."""

    repository: Repository
    tables: Tables
    runs: Sequence[Run]

    def meanings(self, text: str) -> dict[str, Callable[[], list[int]]]:
        """Return every meaning of a text, each with a function that counts the lines that existed then."""
        events = self._events(text.lower())
        if "-" in text and _ID.fullmatch(text.lower()):
            return events  # nothing else is written like this
        return self._moment(text) | self._commit(text) | events

    def _events(self, text: str) -> dict[str, Callable[[], list[int]]]:
        if not _ID.fullmatch(text):
            return {}
        found = self.tables.ask(statement("as_of_events"), {"id": text, "limit": MAX_NAMED + 1}).rows
        return {f"event {event_id}": partial(up_to, self.runs, position) for event_id, position in found}

    def _moment(self, text: str) -> dict[str, Callable[[], list[int]]]:
        try:
            when = moment(text)
        except UsageError:
            return {}
        return {
            f"{when:%Y-%m-%d %H:%M:%S} UTC": lambda: before(
                self.runs, self._places(statement("as_of_later"), moment=when)
            )
        }

    def _commit(self, text: str) -> dict[str, Callable[[], list[int]]]:
        found = git(self.repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{text}^{{commit}}")
        if not found:
            return {}
        revision = found.decode().strip()
        sealed = _sealed_in(self.repository, revision)
        here = {run.segment.name for run in self.runs if run.segment is not None}
        absent = len(sealed - here)
        lacking = f" ({absent} of the {counted(len(sealed), 'segment')} in its tree not here)" if absent else ""
        return {f"commit {revision}{lacking}": lambda: reaching(self.runs, self._recorded_before(revision), sealed)}

    def _recorded_before(self, revision: str) -> dict[int, int]:
        """Return the last position in each run that was recorded on an ancestor of a commit."""
        listed = (git(self.repository, "rev-list", revision) or b"").decode().split()
        earlier = set(listed) - {revision}
        if not earlier:
            return self._places(statement("as_of_before_any_commit"))
        recorded = {name for (name,) in self.tables.ask(statement("as_of_revisions")).rows}
        return self._places(statement("as_of_recorded_on"), revisions=sorted(recorded & earlier))

    def _places(self, sql: str, **parameters: object) -> dict[int, int]:
        """Return one position for each run, by the number of lines before the run."""
        return dict(self.tables.ask(sql, {"begins": begins(self.runs)} | parameters).rows)


def _sealed_in(repository: Repository, revision: str) -> set[str]:
    """Return the names of the segments in the tree of a commit."""
    folder = f"{FOLDER}/{segments.SEGMENTS}/"
    listed = git(repository, "ls-tree", "-z", "--name-only", revision, "--", folder) or b""
    return set(filter(None, map(segments.name_of, os.fsdecode(listed).split("\0"))))


def _ambiguous(text: str, meanings: Sequence[str]) -> UsageError:
    more = " and more" if len(meanings) > MAX_NAMED else ""
    return UsageError(
        f"--as-of {text} may mean {', '.join(meanings[:MAX_NAMED])}{more}",
        "write more of the event's id, a moment as 2026-01-05T00:00, or a branch as refs/heads/NAME",
    )


def _unknown(text: str, repository: Repository) -> UsageError:
    return UsageError(
        f"--as-of {text}: no event has an id that begins so, git knows no such revision in {repository.root}, "
        f"and it is no moment such as {FORMS}",
        # The place of an event is no name for it: what is merged may come in front.
        f"linetrail show {text}  (says the id of event {text})" if text.isdecimal() else "linetrail log",
    )
