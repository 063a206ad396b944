"""Where and when a signal arrived, and what is noted of files until it is recorded.

What a file was noted as is the state that the next tool starts from. A note is kept only once the events it led to
are on disk, so a hook that dies has noticed nothing.
"""

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.event.event import Event, Vcs
from linetrail.ledger.event.signal import Answer, Signal
from linetrail.ledger.gate.policy import Policy
from linetrail.ledger.observe.proposals import explain, from_record
from linetrail.ledger.observe.state_changes import noted
from linetrail.ledger.observe.states import Sight, Slot, State, States, sight_of
from linetrail.ledger.redact.fingerprints import Redactor
from linetrail.ledger.repository import Repository

# A call that has not reported after so long never will: it was refused, or its agent died.
PENDING_NS = 3600 * 1_000_000_000
# How long a file that another call is writing gets to be whole.
HALF_WRITTEN_SECONDS = (0.005, 0.02)


class Scene(NamedTuple):
    """Where and when a signal arrived; what is held while it is handled, and what to remember once it is recorded."""

    repository: Repository
    states: States
    vcs: Vcs | None
    now_ns: int
    held: contextlib.ExitStack
    seen: list[tuple[Slot, Sight]]
    # how many files a scan did not reach in its time
    unscanned: list[int]
    redactor: Redactor
    policy: Policy
    # what the agent is told, the first that says something
    answers: list[Answer]
    # what is done once the events are on disk; each gets all of them
    afterwards: list[Callable[[Sequence[Event]], object]]
    # the registry was found changed by nobody's command since the last hook
    found: bool = False

    @property
    def revision(self) -> str | None:
        """HEAD, None before the first commit and outside git."""
        return self.vcs.revision if self.vcs else None

    def hold(self, paths: Sequence[str]) -> Mapping[str, Slot]:
        """Lock the memory of these files until the signal is recorded."""
        return self.held.enter_context(self.states.hold(paths))


def note(scene: Scene, slot: Slot, sight: Sight) -> None:
    """Take what is on disk as the state the next tool starts from.

    Not when it is what calls under way were going to write: they have not reported yet, and will claim it. Where
    it is not, one of them may be in the middle of writing, so it gets a moment.
    """
    fresh = {call: about for call, about in slot.state.pending.items() if about["at"] + PENDING_NS > scene.now_ns}
    slot.state = slot.state._replace(pending=fresh)
    for pause in (*HALF_WRITTEN_SECONDS, None) if fresh else (None,):
        if slot.state.noted == sight.hash or under_way(scene, slot.state, sight):
            break
        if pause is None:
            see(slot, sight, scene.now_ns)
            break
        time.sleep(pause)
        sight = scene.states.look(slot.state.path) or sight
    scene.seen.append((slot, sight))


def see(slot: Slot, sight: Sight, now_ns: int) -> None:
    slot.state = slot.state._replace(noted=sight.hash, size=sight.size, mtime_ns=sight.mtime_ns, noted_ns=now_ns)


def suppose(scene: Scene, slot: Slot, content: bytes | None) -> None:
    """Take a content that is not on disk as the noted one."""
    sight = sight_of(content)
    scene.states.keep(sight)
    see(slot, sight, scene.now_ns)


def settle(scene: Scene, slot: Slot, sight: Sight, pending: dict[str, Any]) -> None:
    """Take a state as recorded, to be remembered once the events are on disk."""
    see(slot, sight, scene.now_ns)
    slot.state = slot.state._replace(recorded=sight.hash, pending=pending)
    scene.seen.append((slot, sight))


def caller(signal: Signal) -> list[str | None]:
    """Name who calls: its calls that change files come one after the other."""
    return [signal.session_id, signal.agent_id]


def under_way(scene: Scene, state: State, sight: Sight) -> bool:
    proposals = [from_record(about["proposal"]) for about in state.pending.values()]
    return bool(proposals) and explain(proposals, noted(scene.states, state), sight.content)
