"""The answer to "what may this command do?", for a whole command and for each part of it."""

from collections.abc import Iterable
from typing import NamedTuple

SAFE, DESTRUCTIVE, DANGEROUS = 0, 1, 2
CLASSES = ("safe", "destructive", "dangerous")


class Ruling(NamedTuple):
    """How bad, and why.

    `writes` are paths as they are spelled; `complete` says that the part provably changes nothing beside them.
    `names` are words that may be paths, and would then be written, `files` those that only count where they are files.
    `unseen` says what is written where nobody can see it
    before it runs. `bounded` is a harm that ends with the paths in `writes`: whoever owns them may do it.
    """

    level: int
    reason: str
    writes: tuple[str, ...] = ()
    complete: bool = True
    names: tuple[str, ...] = ()
    unseen: str | None = None
    bounded: bool = False
    files: tuple[str, ...] = ()


READS = Ruling(SAFE, "it only reads")


def changes(reason: str, *writes: str, complete: bool = False) -> Ruling:
    """Rule on a part that may change the workspace, or that is not known to be harmless."""
    return Ruling(DESTRUCTIVE, reason, writes, complete)


def blind(reason: str) -> Ruling:
    """Rule on a part that writes to a place which only the running shell knows."""
    return Ruling(DESTRUCTIVE, reason, (), complete=False, unseen=reason)


def unknown(name: str, word: str = "") -> Ruling:
    """Rule on a program that nobody knows, or on a word that nobody knows of one."""
    told = f"{name} {word[:40]}" if word else name
    reason = f"nobody knows what {told} writes; a person states in .orchestration/config.yaml that it is the project's"
    return blind(f"{reason}: commands: [{{match: {name}, is: runs}}]")


def harms(reason: str) -> Ruling:
    """Rule on a part that is hard to undo, reaches out of the workspace or hides what it does."""
    return Ruling(DANGEROUS, reason, (), complete=False)


def together(rulings: Iterable[Ruling]) -> Ruling:
    """Everything that the parts may do; the first of the worst gives the reason."""
    parts = [ruling for ruling in rulings if ruling is not READS]
    if not parts or (len(parts) == 1 and parts[0].level > SAFE):
        return parts[0] if parts else READS
    worst, complete, unseen = READS, True, None
    writes, names, files = dict[str, None](), dict[str, None](), dict[str, None]()
    for ruling in parts:
        if (ruling.level, not ruling.bounded) > (worst.level, not worst.bounded):
            worst = ruling
        writes.update(dict.fromkeys(ruling.writes))
        names.update(dict.fromkeys(ruling.names))
        files.update(dict.fromkeys(ruling.files))
        complete = complete and ruling.complete
        unseen = unseen or ruling.unseen
    return Ruling(worst.level, worst.reason, tuple(writes), complete, tuple(names), unseen, worst.bounded, tuple(files))


def at_least(level: int, reason: str, ruling: Ruling) -> Ruling:
    """Raise a part to a level; a part that is as bad by itself keeps its own reason."""
    return ruling if ruling.level >= level else ruling._replace(level=level, reason=reason)
