"""Know what an agent has seen of a file, and who is about to write it: so that nobody writes over what was not read.

A baseline is the hash of a file when an agent last read or wrote it, kept per session and subagent. A call that was
let through reserves its file until it reports, until its agent's turn ends, or until its lease is over.
"""

from collections.abc import Iterator, Mapping, Sequence

from linetrail.ledger.event.signal import Signal
from linetrail.ledger.gate.gate import Stale
from linetrail.ledger.hook import deliveries
from linetrail.ledger.hook.situation import Scene, caller
from linetrail.ledger.observe.states import Sight, Slot

SECOND_NS = 1_000_000_000
SEEN, TURNS = "seen", "turns"


def before_read(scene: Scene, call: Sequence[str], paths: Sequence[str]) -> None:
    """Note what the files are before a tool reads them: what it then shows is this, or newer.

    Taken afterwards, a change made in between would count as seen though the agent may have read what was before it.
    """
    sights = {path: sight.hash for path in paths if (sight := scene.states.look(path)) is not None}
    scene.afterwards.append(lambda _: deliveries.remember(scene.repository, "calls", *call, read=sights))


def after_read(scene: Scene, signal: Signal, call: Sequence[str]) -> None:
    """Take what the files were before they were read as what the agent now knows."""
    for path, digest in deliveries.recall(scene.repository, "calls", *call).get("read", {}).items():
        remember(scene, signal, path, digest)


def remember(scene: Scene, signal: Signal, path: str, digest: str) -> None:
    """Note, once the events are on disk, what the agent now knows of a file; `""` is that there is none."""
    key = _key(signal, path)
    scene.afterwards.append(lambda _: deliveries.remember(scene.repository, SEEN, *key, hash=digest))


def known(scene: Scene, signal: Signal, path: str) -> str | None:
    """Return what the agent knows of a file; None where it never saw it."""
    digest = deliveries.recall(scene.repository, SEEN, *_key(signal, path)).get("hash")
    return digest if isinstance(digest, str) else None


def end_turn(scene: Scene, signal: Signal) -> None:
    """Let go of what this session reserved: whatever it was going to write, it is not writing now."""
    session = signal.session_id or ""
    scene.afterwards.append(lambda _: deliveries.remember(scene.repository, TURNS, session, ended=scene.now_ns))


def stale(scene: Scene, signal: Signal, slots: Mapping[str, Slot], sights: Mapping[str, Sight]) -> Iterator[Stale]:
    """Yield the files that another call is about to write, then those that are not as the agent knows them."""
    found = []
    for path, slot in slots.items():
        holder = _holder(scene, signal, slot)
        if holder is not None:
            yield Stale(path, None, None, busy=f"session {holder}")
        baseline, sight = known(scene, signal, path), sights.get(path)
        if baseline is not None and sight is not None and baseline != sight.hash:
            found.append(Stale(path, baseline or None, sight.hash or None))
    yield from found


def _holder(scene: Scene, signal: Signal, slot: Slot) -> str | None:
    """Return the session of another's call that was let through to this file and has not reported."""
    lease = scene.policy.settings.lease_seconds * SECOND_NS
    for about in slot.state.pending.values():
        by = about.get("by") or [None, None]
        # Whoever came first may get the lock second: a call may have begun after this one did.
        if by == caller(signal) or abs(scene.now_ns - about["at"]) >= lease:
            continue
        ended = deliveries.recall(scene.repository, TURNS, str(by[0] or "")).get("ended", 0)
        if about["at"] > ended:
            return str(by[0])
    return None


def _key(signal: Signal, path: str) -> Sequence[str]:
    return signal.session_id or "", signal.agent_id or "", path
