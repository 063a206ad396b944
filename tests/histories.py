"""Ledgers that grow, are sealed, branched off and merged the way git would do it, without git: files are copied."""

import hashlib
import os
import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from linetrail.ledger.event.event import Agent, Event, derived_id, rfc3339
from linetrail.ledger.log import segments
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, find

BEGINNING = 1_767_603_600_000_000_000
AGENT = Agent("claude-code", "2.1.300", "anthropic/claude-model-x")


def event(key: str, at: int = 0, text: str = "say it") -> Event:
    """Return an event that is the same for the same key and time."""
    now = BEGINNING + at * 1_000_000_000
    data = {"excerpt": f"{text} — {key}", "length": len(key), "sha256": f"sha256:{hashlib.sha256(b'').hexdigest()}"}
    return Event(
        derived_id(now, key), rfc3339(now), "prompt.submitted", "session", AGENT, "human", None, None, data=data
    )


class Branch:
    """One checkout: its segments, and the tail that never leaves it."""

    def __init__(self, root: Path) -> None:
        """Make an empty ledger."""
        self.root = root
        (root / ".orchestration").mkdir(parents=True)

    @property
    def repository(self) -> Repository:
        """Return where it is, as everybody finds it."""
        return find(str(self.root))

    @property
    def folder(self) -> str:
        """Return the folder of the ledger."""
        return self.repository.folder

    def append(self, events: Sequence[Event], *, seal: bool = False) -> None:
        """Let these happen."""
        Ledger(self.repository).append(events)
        if seal:
            self.seal()

    def seal(self) -> list[str]:
        """Close what waits, and return the names of the segments that are new."""
        return [segment.name for segment in Ledger(self.repository).seal()]

    def file(self, name: str) -> Path:
        """Return where a segment is."""
        return Path(segments.path(self.folder, name))

    def take(self, other: "Branch") -> None:
        """Take over the segments of another branch, as a merge does."""
        os.makedirs(os.path.join(self.folder, segments.SEGMENTS), exist_ok=True)
        for name in segments.names(other.folder):
            if not self.file(name).exists():
                shutil.copy2(other.file(name), self.file(name))


class History:
    """Branches that come and go at random; `keys` are the events that happened anywhere."""

    def __init__(self, root: Path, seed: str, make: Callable[[str, int], Event] = event) -> None:
        """Begin with one branch; `make` makes an event out of a key and a time."""
        self._root, self._random, self._make = root, random.Random(seed), make
        self.branches = [Branch(root / "0")]
        self.sealed: set[str] = set()
        self._clock = 0

    def run(self, steps: int, after: Callable[[Branch], object] = id) -> Branch:
        """Let so many things happen, each followed by `after` on any branch; merge all into the first and return it."""
        deeds = (self._append, self._import, self._seal, self._fork, self._merge)
        for deed in self._random.choices(deeds, (6, 2, 4, 1, 2), k=steps):
            deed()
            after(self._random.choice(self.branches))
        first, *others = self.branches
        for other in others:
            other.seal()
            first.take(other)
        first.seal()
        return first

    def _append(self) -> None:
        self._clock += self._random.randrange(3)
        count = self._random.randrange(1, 4)
        events = [self._make(f"{self._clock}-{self._random.random()}", self._clock) for _ in range(count)]
        self._note(events)
        self._random.choice(self.branches).append(events)

    def _import(self) -> None:
        """Read one of a few transcripts, perhaps one that another branch has read."""
        transcript = self._random.randrange(3)
        events = [self._make(f"transcript-{transcript}-{line}", transcript * 5 + line) for line in range(4)]
        self._note(events)
        self._random.choice(self.branches).append(events)

    def _note(self, events: Sequence[Event]) -> None:
        self.sealed.update(each.id for each in events)

    def _seal(self) -> None:
        self._random.choice(self.branches).seal()

    def _fork(self) -> None:
        origin = self._random.choice(self.branches)
        branch = Branch(self._root / str(len(self.branches)))
        branch.take(origin)
        self.branches.append(branch)

    def _merge(self) -> None:
        self._random.choice(self.branches).take(self._random.choice(self.branches))


def ordered(branch: Branch) -> list[str]:
    """Return the names of the segments of a branch, each behind its parents."""
    return [segment.name for segment in segments.ordered(segments.read_headers(branch.folder)[0])]
