"""The states that every file went through, as far as the ledger knows: each file is replayed once."""

from functools import lru_cache

from linetrail.projections.git.history import Objects
from linetrail.projections.lines import evidence
from linetrail.projections.lines.evidence import Names
from linetrail.projections.lines.replay import Replay
from linetrail.projections.tables.tables import Tables

# So many files are kept at hand.
KEPT = 512


class Snapshots:
    """The replayed files of one ledger."""

    def __init__(self, tables: Tables, store: Objects) -> None:
        self._tables, self._store = tables, store
        self._replayed = lru_cache(KEPT)(self._replay)

    def of(self, names: Names) -> Replay:
        """Return the states of a file under all the names it had."""
        return self._replayed(tuple(sorted(names.items())))

    def _replay(self, names: tuple[tuple[str, int | None], ...]) -> Replay:
        return Replay(evidence.recorded(self._tables, dict(names)), evidence.base_contents(self._store))
