"""Ask the notes that other tools attached to commits, and their trailers, about lines that nothing recorded tells of.

A note numbers the lines of its commit's own files, so it is asked with the commit, the file and the line that git
names. Of several notes on a commit only the one imported last counts; where it gives a line to two, the later entry.
Trailers name no line: they speak of all that git says the commit added, where no note does.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from linetrail.ledger.repository import stored_path
from linetrail.projections.git.history import GitLine
from linetrail.projections.statements import statement
from linetrail.projections.tables.tables import Tables

_COMMITS = "select vcs_revision, count(*) from stated_lines group by vcs_revision"
NOTE, TRAILER = "external", "trailer"
# After so many questions all that is said is read, if it is no more than this; else what was asked is kept at hand, of
# up to so many commits.
FEW, MAX_ROWS, KEPT_COMMITS = 4, 300_000, 1_000


class Stated(NamedTuple):
    """Whom a note gives a line to, or a trailer the commit; `person` is the name and address of a human."""

    contributor_type: str
    agent_name: str | None
    model_id: str | None
    session_id: str | None
    person: str | None
    event_id: str
    evidence: str = NOTE


class Notes:
    """The notes and trailers in one ledger; what those of a commit say is asked once."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._questions = 0
        self._read: set[str] = set()
        self._credited: dict[str, Stated] = {}
        # by commit and file, first and last lines and who wrote them: of several, the later counts
        self._noted: defaultdict[tuple[str, str], list[tuple[int, int, Stated]]] = defaultdict(list)

    def about(self, lines: Sequence[GitLine], asked: Iterable[int]) -> dict[int, Stated]:
        """Return who wrote these lines, as far as a note or a trailer says so; `asked` are places in `lines`."""
        places: dict[tuple[str, str], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for at in asked if self._stated else ():
            revision = lines[at].revision
            if revision is not None and revision in self._stated:
                places[revision, stored_path(lines[at].filename)][lines[at].original_line].append(at)
        self._look_up({revision for revision, _ in places})
        found: dict[int, Stated] = {}
        for (revision, path), by_number in places.items():
            if revision in self._credited:
                found.update(dict.fromkeys(chain.from_iterable(by_number.values()), self._credited[revision]))
            numbers = sorted(by_number)
            for first, last, said in self._noted.get((revision, path), ()):
                for number in numbers[bisect_left(numbers, first) : bisect_right(numbers, last)]:
                    found.update(dict.fromkeys(by_number[number], said))
        return found

    @cached_property
    def _stated(self) -> dict[str, int]:
        """How many rows speak of each commit: in most ledgers there is none."""
        return {} if self._tables.is_empty("stated_lines") else dict(self._tables.ask(_COMMITS).rows)

    def _look_up(self, revisions: AbstractSet[str]) -> None:
        """Have at hand what is said of these commits; a trailer that credits several agents names nobody."""
        if not revisions - self._read:
            return
        self._questions += 1
        if self._questions > FEW and sum(self._stated.values()) <= MAX_ROWS:
            revisions = self._stated.keys()
        elif len(self._read) > KEPT_COMMITS:
            self._read, self._credited = set(), {}
            self._noted.clear()
        missing = revisions - self._read
        self._read |= missing
        asked_for = {"revisions": sorted(missing)}
        for revision, agent, model, event_id in self._tables.ask(statement("credited_by_trailers"), asked_for).rows:
            self._credited[revision] = Stated("ai", agent, model, None, None, event_id, TRAILER)
        for revision, path, first, last, *said in self._tables.ask(statement("stated_by_notes"), asked_for).rows:
            self._noted[revision, path].append((first, last, Stated(*said)))
