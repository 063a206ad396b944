"""Estimate which files an intent will touch: from its scope, and from what earlier work touched together.

Earlier work is what each intent of the ledger changed, and what each of the last commits and merges brought. A file
counts once more for each time that it was touched; a file outside of the scope is as likely as it went along with one
inside, times the rate at which agents here wrote outside of their scopes.
"""

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from statistics import median
from typing import NamedTuple

from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.intents.links import folder_of
from linetrail.ledger.paths.globs import ScopeError, compile_scope
from linetrail.ledger.repository import Repository
from linetrail.projections.git.tracked import tracked
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.record.related_files import MAX_FILES, changed_by_commits
from linetrail.queries.statements import statement

COMMITS = 1000
# How many files a piece of work touches, and how many of a hundred it writes outside of its scope, where nobody knows.
USUAL_FILES, USUAL_OUTSIDE = 3.0, 0.1
# Nobody knows for sure which file a pattern is there for.
SUREST = 0.95
# So many writes tell a rate.
ENOUGH = 20
# A pair that went together less often did so by chance.
LEAST = 2
# Stands for the files that are not there yet.
NEW = ""


class History(NamedTuple):
    """What earlier pieces of work touched, and how many of the agents' writes fell outside of their scope."""

    touched: Sequence[frozenset[str]] = ()
    outside: float = USUAL_OUTSIDE


NOTHING = History()


def history(repository: Repository) -> History:
    """Return what intents of the ledger and the last commits touched."""
    with open_tables(repository) as tables:
        rows = tables.ask(statement("work_touched")).rows
    by_intent: dict[str, set[str]] = defaultdict(set)
    writes = Counter[bool]()
    for intent_id, path, in_scope, times in rows:
        by_intent[intent_id].add(path)
        if in_scope is not None:
            writes[in_scope] += times
    known = writes.total() >= ENOUGH
    touched = [frozenset(paths) for paths in by_intent.values() if len(paths) <= MAX_FILES]
    past = of_commits(repository)
    return History([*touched, *past.touched], writes[False] / writes.total() if known else past.outside)


def of_commits(repository: Repository) -> History:
    """Return what the last commits touched, which git alone says."""
    commits = (frozenset(paths) for paths in changed_by_commits(repository, COMMITS, merged=True))
    return History([paths for paths in commits if 0 < len(paths) <= MAX_FILES])


class Forecast:
    """For each intent, the files that it may touch, each with a probability."""

    def __init__(self, files: Sequence[str], past: History = NOTHING) -> None:
        self.files, self._past = sorted(files), past
        self._times = Counter(path for paths in past.touched for path in paths)
        # what is usual anywhere counts as much as three pieces of work
        self._usual = median([*map(len, past.touched), *(USUAL_FILES,) * 3])
        self._owned: dict[tuple[str, ...], dict[str, str]] = {}

    @classmethod
    def of(cls, repository: Repository, *, with_history: bool = True) -> "Forecast":
        """Read the tracked files of a repository, and what earlier work touched."""
        return cls(list(tracked(repository)), history(repository) if with_history else NOTHING)

    @cached_property
    def alone(self) -> "Forecast":
        """The same files, as if nothing had ever been changed."""
        return Forecast(self.files)

    def owned(self, intent: Intent) -> dict[str, str]:
        """Return the tracked files in the scope of an intent, in order, each with the pattern that owns it."""
        return self._owned_by(intent.scope)

    def touches(self, intent: Intent) -> dict[str, float]:
        """Return the probability that an intent touches a file, for each that it may."""
        owned = self.owned(intent)
        inside = self._inside(intent)
        outside: dict[str, float] = {}
        for path in owned:
            for other, times in self._beside.get(path, {}).items():
                if other not in inside and times >= LEAST:
                    found = inside[path] * self._past.outside * times / self._times[path]
                    outside[other] = max(found, outside.get(other, 0.0))
        return inside | outside

    def _inside(self, intent: Intent) -> dict[str, float]:
        """Return the files that a scope owns: each of its patterns is there because something of it will be touched."""
        patterns = [pattern for pattern in intent.scope if not pattern.startswith("!")]
        expected = max(1.0, self._usual / max(1, len(patterns)))
        owned, spared = self.owned(intent), {NEW: 1.0} | dict.fromkeys(self.owned(intent), 1.0)
        for pattern in patterns:
            weights = {path: 1 + self._times[path] for path in self._owned_by((pattern,)) if path in owned} | {NEW: 1}
            share = expected / sum(weights.values())
            for path, weight in weights.items():
                spared[path] *= 1 - min(SUREST, share * weight)
        return {path: 1 - probability for path, probability in spared.items()}

    def together(self, path: str) -> Mapping[str, int]:
        """Return how often other files were touched together with one."""
        return self._beside.get(path, {})

    def times(self, path: str) -> int:
        """Return how many earlier pieces of work touched a file."""
        return self._times[path]

    @cached_property
    def _beside(self) -> dict[str, Counter[str]]:
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for paths in self._past.touched:
            for path in paths:
                found[path].update(paths - {path})
        return found

    def _owned_by(self, patterns: tuple[str, ...]) -> dict[str, str]:
        if patterns not in self._owned:
            self._owned[patterns] = self._in_scope(patterns)
        return self._owned[patterns]

    def _in_scope(self, patterns: Sequence[str]) -> dict[str, str]:
        try:
            scope = compile_scope(patterns)
        except ScopeError:
            return {}
        heads = {"/".join(folder_of(pattern)) for pattern in patterns if not pattern.startswith("!")}
        near = {path for head in heads for path in self._below(head)}
        return {path: pattern for path in sorted(near) if (pattern := scope.owner(path)) is not None}

    def _below(self, head: str) -> Sequence[str]:
        """Return the files whose paths begin like a pattern."""
        return self.files[bisect_left(self.files, head) : bisect_left(self.files, f"{head}\U0010ffff")]


def both(
    one: Mapping[str, float], other: Mapping[str, float], left_out: Collection[str] = ()
) -> list[tuple[float, str]]:
    """Return the files that two intents may touch, with the probability that both do: the likely ones first.

    >>> both({"a.py": 0.5, "b.py": 1.0}, {"a.py": 0.5, "c.py": 1.0})
    [(0.25, 'a.py')]
    """
    shared = [(one[path] * other[path], path) for path in (one.keys() & other.keys()).difference(left_out)]
    return sorted(shared, key=lambda found: (-found[0], found[1]))


def any_of(shared: Sequence[tuple[float, str]]) -> float:
    """Return the probability that both touch one of these files at least.

    >>> any_of([(0.5, "a.py"), (0.5, "b.py")])
    0.75
    """
    return 1 - math.prod(1 - probability for probability, _ in shared)
