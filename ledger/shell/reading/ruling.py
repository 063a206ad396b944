"""The answer to "what may this command do?", for a whole command and for each part of it."""

from collections.abc import Iterable
from typing import NamedTuple

SAFE, DESTRUCTIVE, DANGEROUS = 0, 1, 2
CLASSES = ("safe", "destructive", "dangerous")


class Ruling(NamedTuple):
    """How bad, and why.

    `writes` are paths as they are spelled; `complete` says that the part provably changes nothing beside them.
    """

    level: int
    reason: str
    writes: tuple[str, ...] = ()
    complete: bool = True


READS = Ruling(SAFE, "it only reads")


def changes(reason: str, *writes: str, complete: bool = False) -> Ruling:
    """Rule on a part that may change the workspace, or that is not known to be harmless."""
    return Ruling(DESTRUCTIVE, reason, writes, complete)


def harms(reason: str) -> Ruling:
    """Rule on a part that is hard to undo, reaches out of the workspace or hides what it does."""
    return Ruling(DANGEROUS, reason, (), complete=False)


def together(rulings: Iterable[Ruling]) -> Ruling:
    """Everything that the parts may do; the first of the worst gives the reason."""
    worst, writes, complete = READS, list[str](), True
    for ruling in rulings:
        if ruling.level > worst.level:
            worst = ruling
        writes.extend(ruling.writes)
        complete = complete and ruling.complete
    return Ruling(worst.level, worst.reason, tuple(dict.fromkeys(writes)), complete)


def at_least(level: int, reason: str, ruling: Ruling) -> Ruling:
    """Raise a part to a level; a part that is as bad by itself keeps its own reason."""
    return ruling if ruling.level >= level else ruling._replace(level=level, reason=reason)
