"""Find the part of the ledger that a range of commits adds.

A segment that the base has was looked at when it came there; every other one came with the range, however old its
events are. So each event is looked at once, wherever it is sealed. What is not sealed yet counts from where the work
tree left the base.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.log import segment_history
from linetrail.ledger.log.extent import Run
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, git
from linetrail.projections.tables.prefix import begins
from linetrail.projections.tables.tables import Tables
from linetrail.queries.audit.audit import Brought
from linetrail.queries.statements import statement


class Range(NamedTuple):
    """The commits between a base and HEAD; `fork` is their merge base."""

    base: str
    base_revision: str
    head_revision: str
    fork: str


def between(repository: Repository, base: str | None) -> Range | None:
    """Return the range from a base to HEAD; None where there is no base, or nothing on top of it."""
    tip = segment_history.resolve(repository, "HEAD")
    at = segment_history.resolve(repository, base) if base is not None else None
    if base is None or tip is None or at is None or at == tip:
        return None
    fork = _fork(repository, at, tip)
    return None if fork == tip else Range(base, at, tip, fork)


def brought(repository: Repository, tables: Tables, wanted: Range) -> Brought:
    """Return the stretches of the ledger that a range adds."""
    there = segment_history.tree(repository, wanted.base_revision)
    with Ledger(repository).extent() as extent:
        runs = extent.runs
    stretches = _stretches(runs, there, lambda begin: _last_before(repository, tables, wanted.fork, begin))
    return Brought(list(stretches), f"{wanted.base_revision}..{wanted.head_revision}")


def _stretches(
    runs: Sequence[Run], there: Collection[str], last_before: Callable[[int], int]
) -> Iterator[tuple[int, int]]:
    for run, begin in zip(runs, begins(runs), strict=True):
        first = begin + 1
        if run.segment is None:
            first = max(first, last_before(begin) + 1)
        elif run.segment.name in there:
            continue
        if first <= begin + run.events:
            yield first, begin + run.events


def _last_before(repository: Repository, tables: Tables, fork: str, begin: int) -> int:
    """Return the position of the tail's last event that was recorded on an ancestor of the fork."""
    listed = (git(repository, "rev-list", fork) or b"").decode().split()
    last: int = tables.ask(
        statement("ci_earlier"), {"begin": begin, "earlier": [one for one in listed if one != fork]}
    ).rows[0][0]
    return last


def _fork(repository: Repository, base: str, tip: str) -> str:
    """Return the merge base of a branch and its base, also when HEAD is a forge's test merge of the two."""
    parents = (git(repository, "rev-parse", "--verify", "--quiet", f"{tip}^2") or b"").decode().strip()
    first = (git(repository, "rev-parse", "--verify", "--quiet", f"{tip}^1") or b"").decode().strip()
    branch = parents if parents and first == base else tip
    return (git(repository, "merge-base", base, branch) or base.encode()).decode().strip()
