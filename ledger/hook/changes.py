"""What a write tool did to the files it named: noted before, compared after, recorded as transitions.

The way from the noted state to what is on disk is the tool's. The way from the last recorded state to the noted
one was gone by nobody we saw, and is recorded first.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from linetrail.ledger.event.drafts import Draft
from linetrail.ledger.event.signal import Signal, Tool
from linetrail.ledger.hook.situation import Scene, caller, note, settle, suppose
from linetrail.ledger.observe import scan
from linetrail.ledger.observe.mutation import transition
from linetrail.ledger.observe.proposals import expected, from_record, to_record, undone
from linetrail.ledger.observe.state_changes import difference, mutations, noted, unseen
from linetrail.ledger.observe.states import ABSENT, Sight, Slot, sight_of
from linetrail.ledger.observe.substance import same_substance

_LEAVES_NONE = frozenset({"delete", "rename_from"})


def before_write(scene: Scene, slots: Mapping[str, Slot], signal: Signal, tool: Tool) -> None:
    """Note the files that a write tool names, which are held."""
    for slot in slots.values():
        sight = scene.states.look(slot.state.path)
        if sight is not None:
            note(scene, slot, sight)
            _expect(scene, slot, signal, tool)


def after_write(scene: Scene, signal: Signal, tool: Tool, roles: Mapping[str, str]) -> Iterator[Draft]:
    """Record what a write tool left in the files it named; `roles` says what it was to do to each."""
    slots = scene.hold(list(roles))
    yield from _moved(scene, signal, tool, roles, slots)
    for path, slot in slots.items():
        sight = scene.states.look(path)
        if sight is None:
            continue
        if tool.call_id not in slot.state.pending:
            _reconstruct(scene, signal, tool, slot, sight)
        yield from mutations(unseen(scene.states, slot.state, _committed(scene, slot)))
        others = _others(slot, tool)
        own = _own_part(scene, slot, tool, sight) if others else sight
        proposed = None if others else _changed_proposal(scene, signal, tool, slot, own)
        if proposed is not None:
            yield from _in_two_steps(scene, signal, tool, slot, proposed, own)
        else:
            # A write leaves a file; that there is none was somebody else's doing.
            via = "unseen" if own.hash == ABSENT and roles[path] not in _LEAVES_NONE else "tool"
            yield from mutations(difference(scene.states, slot.state, own), via, signal, tool)
        settle(scene, slot, own, others)


def _moved(
    scene: Scene, signal: Signal, tool: Tool, roles: Mapping[str, str], slots: Mapping[str, Slot]
) -> Iterator[Draft]:
    """Record which files a call gave another name, as far as that is what is on disk now; the rest is as ever."""
    paths = [path for path in roles if roles[path] in ("rename_from", "rename_to")]
    for old, new in itertools.pairwise(paths):
        if (roles[old], roles[new]) != ("rename_from", "rename_to"):
            continue
        origin, slot = slots[old], slots[new]
        gone, sight = scene.states.look(old), scene.states.look(new)
        before = noted(scene.states, origin.state)
        if before is None or slot.state.noted not in (None, ABSENT) or not (gone and sight):
            continue
        if gone.hash == ABSENT and sight.content is not None:
            yield from mutations(unseen(scene.states, origin.state, _committed(scene, origin)))
            yield from mutations(transition(new, before, sight.content, from_path=old), "tool", signal, tool)
            settle(scene, origin, gone, _others(origin, tool))
            settle(scene, slot, sight, _others(slot, tool))


def release(scene: Scene, tool: Tool, paths: Sequence[str]) -> None:
    """Forget what a call was going to do: it was not allowed to run."""
    for slot in scene.hold(paths).values():
        others = _others(slot, tool)
        sight = scene.states.look(slot.state.path)
        if sight is not None and others != slot.state.pending:
            slot.state = slot.state._replace(pending=others)
            scene.seen.append((slot, sight))


def _others(slot: Slot, tool: Tool) -> dict[str, Any]:
    """Return the calls on their way to this file but for this one."""
    return {call: about for call, about in slot.state.pending.items() if call != tool.call_id}


def _expect(scene: Scene, slot: Slot, signal: Signal, tool: Tool) -> None:
    if tool.call_id is not None:
        call = {tool.call_id: {"at": scene.now_ns, "by": caller(signal), "proposal": to_record(tool.proposal)}}
        slot.state = slot.state._replace(pending=slot.state.pending | call)


def _reconstruct(scene: Scene, signal: Signal, tool: Tool, slot: Slot, sight: Sight) -> None:
    """Without a pre hook, learn what the file was before: from the agent, else backwards, else from the commit."""
    result, known = signal.result, noted(scene.states, slot.state)
    if result and result.known_new:
        before: bytes | None = None
    elif result and result.original is not None:
        before = result.original.encode(errors="replace")
    else:
        before = undone(tool.proposal, sight.content) or known or _committed(scene, slot)
    if slot.state.noted is None or not same_substance(before, known):
        suppose(scene, slot, before)


def _own_part(scene: Scene, slot: Slot, tool: Tool, sight: Sight) -> Sight:
    """With other calls under way on the same file, claim only what this call asked for."""
    content = expected(tool.proposal, noted(scene.states, slot.state))
    return sight if content is None else sight_of(content)


def _changed_proposal(scene: Scene, signal: Signal, tool: Tool, slot: Slot, sight: Sight) -> Sight | None:
    """Return what the agent proposed, where a person changed it before it was written and both are known."""
    if signal.result is None or not signal.result.user_modified or sight.content is None:
        return None
    call = slot.state.pending.get(tool.call_id or "")
    proposal = from_record(call["proposal"]) if call else tool.proposal
    content = expected(proposal, noted(scene.states, slot.state))
    return None if content in (None, sight.content) else sight_of(content)


def _in_two_steps(scene: Scene, signal: Signal, tool: Tool, slot: Slot, proposed: Sight, own: Sight) -> Iterator[Draft]:
    """Tell of the agent's proposal, then of what the person made of it: each has their own lines."""
    unmodified = signal.result._replace(user_modified=False) if signal.result else None
    first = difference(scene.states, slot.state, proposed)
    yield from mutations(first, "tool", signal._replace(result=unmodified), tool)
    second = transition(slot.state.path, proposed.content, own.content)
    yield from mutations(second, "human", signal, tool)


def _committed(scene: Scene, slot: Slot) -> bytes | None:
    """Return the file as HEAD has it, asked only while nothing of it is recorded."""
    if slot.state.recorded is not None or scene.revision is None:
        return None
    return scan.contents(scene.repository, scene.revision, [slot.state.path]).get(slot.state.path)
