"""Where and when a signal arrived, and the kinds of things that follow from it.

Each step of the hook is given a situation, changes nothing in it, and yields what it found out. What is to be
remembered is remembered once the events are on disk, so a hook that dies has noticed nothing.
"""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from linetrail.ledger.event.drafts import MAX_COMMAND, Draft
from linetrail.ledger.event.event import Event
from linetrail.ledger.event.signal import Answer
from linetrail.ledger.gate.policy import Policy
from linetrail.ledger.redact.redactor import Redactor
from linetrail.ledger.repository import Repository, Vcs

if TYPE_CHECKING:  # most events are about no file
    from linetrail.ledger.gate.leases import Leases
    from linetrail.ledger.observe.states import Sight, Slot, States


class Situation(NamedTuple):
    """What holds while one signal is handled."""

    repository: Repository
    vcs: Vcs | None
    now_ns: int
    redactor: Redactor
    policy: Policy
    # the registry was found changed by nobody's command since the last hook
    registry_changed: bool = False

    @property
    def states(self) -> "States":
        """What is remembered of the files of this worktree."""
        from linetrail.ledger.observe.states import States

        return States(self.repository)

    @property
    def leases(self) -> "Leases":
        """Who writes which file, across the worktrees."""
        from linetrail.ledger.gate.leases import Leases

        return Leases(self.repository, self.now_ns, self.policy.settings.silence_seconds)

    @property
    def revision(self) -> str | None:
        """HEAD, None before the first commit and outside git."""
        return self.vcs.revision if self.vcs else None

    def tellable(self, text: str) -> str:
        """Return a text without secrets, where this machine keeps the repository, and where people are at home."""
        inside = text.replace(os.path.join(self.repository.root, ""), "")
        return self.redactor.cut(inside.replace(os.path.expanduser("~"), "~"), MAX_COMMAND)


class Seen(NamedTuple):
    """A file as it was seen, and its memory, which is held and says so."""

    slot: "Slot"
    sight: "Sight"


class Unscanned(NamedTuple):
    """How many files nobody had time to look at."""

    files: int


class Later(NamedTuple):
    """What is done once the events are on disk; it gets all of them."""

    act: Callable[[Sequence[Event]], object]


# What a step yields: an event to append, what the agent is told, what is remembered.
Effect = Draft | Answer | Seen | Unscanned | Later
