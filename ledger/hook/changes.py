"""What tools did to files: noted before, compared after, recorded as transitions.

The way from the noted state to what is on disk is the tool's. The way from the last recorded state to the noted one
was gone by nobody we saw, and is recorded first. A write tool names its files; for a command all files that may have
changed are looked at, and what changed while it ran is the command's, but for what git itself put there (checkout,
pull, stash), which is nobody's writing, and for what other calls on their way are about to claim.
"""

import itertools
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.event.drafts import Draft, fitting
from linetrail.ledger.event.signal import Proposal, Signal, Tool
from linetrail.ledger.hook.situation import Effect, Seen, Situation, Unscanned
from linetrail.ledger.observe import scan
from linetrail.ledger.observe.mutation import Entry, copy, groups, snapshot, transition, unread
from linetrail.ledger.observe.states import (
    ABSENT,
    Sight,
    Slot,
    State,
    States,
    expected,
    explain,
    proposal_bytes,
    proposal_from_bytes,
    sight_of,
    undone,
)
from linetrail.ledger.observe.substance import same_substance, similarity
from linetrail.ledger.repository import Repository, object_id

# A call that has not reported after so long never will: it was refused, or its agent died.
PENDING_NS = 3600 * 1_000_000_000
# How long a file that another call is writing gets to be whole.
HALF_WRITTEN_SECONDS = (0.005, 0.02)
# As in git: a file with at least half of another's lines came from it.
RENAMED_SHARE = 0.5
MAX_RENAME_PAIRS = 400
# Shorter files are alike by chance.
MIN_COPIED_LINES = 3
# What a scan may take of the processor time of a hook; what it did not reach is counted, and found later.
SCAN_SECONDS = 0.4
# How long the word is, at most, that a call may have for the class of its change.
MAX_WORD = 40
_LEAVES_NONE = frozenset({"delete", "rename_from"})


def caller(signal: Signal) -> list[str | None]:
    """Name who calls: its calls that change files come one after the other."""
    return [signal.session_id, signal.agent_id]


# Write tools


def before_write(situation: Situation, slots: Mapping[str, Slot], signal: Signal, tool: Tool) -> Iterator[Effect]:
    """Note the files that a write tool names, which are held."""
    for slot in slots.values():
        sight = situation.states.look(slot.state.path)
        if sight is not None:
            seen = note(situation, slot, sight)
            _expect(situation, slot, signal, tool)
            yield seen


def after_write(
    situation: Situation, slots: Mapping[str, Slot], signal: Signal, tool: Tool, roles: Mapping[str, str]
) -> Iterator[Effect]:
    """Record what a write tool left in the files it named, which are held; `roles` says what it was to do to each."""
    yield from _moved(situation, signal, tool, roles, slots)
    for path, slot in slots.items():
        sight = situation.states.look(path)
        if sight is None:
            continue
        if tool.call_id not in slot.state.pending:
            _reconstruct(situation, signal, tool, slot, sight)
        yield from _mutations(_unseen(situation.states, slot.state, _committed(situation, slot)))
        others = _others(slot, tool)
        own = _own_part(situation, slot, tool, sight) if others else sight
        proposed = None if others else _changed_proposal(situation, signal, tool, slot, own)
        if proposed is not None:
            yield from _in_two_steps(situation, signal, tool, slot, proposed, own)
        else:
            # A write leaves a file; that there is none was somebody else's doing.
            via = "unseen" if own.hash == ABSENT and roles[path] not in _LEAVES_NONE else "tool"
            yield from _mutations(_difference(situation.states, slot.state, own), via, signal, tool)
        yield settle(situation, slot, own, others)


def _moved(
    situation: Situation, signal: Signal, tool: Tool, roles: Mapping[str, str], slots: Mapping[str, Slot]
) -> Iterator[Effect]:
    """Record which files a call gave another name, as far as that is what is on disk now; the rest is as ever."""
    paths = [path for path in roles if roles[path] in ("rename_from", "rename_to")]
    for old, new in itertools.pairwise(paths):
        if (roles[old], roles[new]) != ("rename_from", "rename_to"):
            continue
        origin, slot = slots[old], slots[new]
        gone, sight = situation.states.look(old), situation.states.look(new)
        before = _noted(situation.states, origin.state)
        if before is None or slot.state.noted not in (None, ABSENT) or not (gone and sight):
            continue
        if gone.hash == ABSENT and sight.content is not None:
            yield from _mutations(_unseen(situation.states, origin.state, _committed(situation, origin)))
            yield from _mutations(transition(new, before, sight.content, from_path=old), "tool", signal, tool)
            yield settle(situation, origin, gone, _others(origin, tool))
            yield settle(situation, slot, sight, _others(slot, tool))


def release(situation: Situation, slots: Mapping[str, Slot], tool: Tool) -> Iterator[Effect]:
    """Forget what a call was going to do to these files, which are held: it was not allowed to run."""
    for slot in slots.values():
        others = _others(slot, tool)
        sight = situation.states.look(slot.state.path)
        if sight is not None and others != slot.state.pending:
            slot.state = slot.state._replace(pending=others)
            yield Seen(slot, sight)


def _others(slot: Slot, tool: Tool) -> dict[str, Any]:
    """Return the calls on their way to this file but for this one."""
    return {call: about for call, about in slot.state.pending.items() if call != tool.call_id}


def _expect(situation: Situation, slot: Slot, signal: Signal, tool: Tool) -> None:
    if tool.call_id is not None:
        proposal = situation.states.objects.sealed(proposal_bytes(tool.proposal))
        call = {tool.call_id: {"at": situation.now_ns, "by": caller(signal), "proposal": proposal}}
        slot.state = slot.state._replace(pending=slot.state.pending | call)


def _reconstruct(situation: Situation, signal: Signal, tool: Tool, slot: Slot, sight: Sight) -> None:
    """Without a pre hook, learn what the file was before: from the agent, else backwards, else from the commit."""
    result, known = signal.result, _noted(situation.states, slot.state)
    if result and result.known_new:
        before: bytes | None = None
    elif result and result.original is not None:
        before = result.original.encode(errors="replace")
    else:
        before = undone(tool.proposal, sight.content) or known or _committed(situation, slot)
    if slot.state.noted is None or not same_substance(before, known):
        suppose(situation, slot, before)


def _own_part(situation: Situation, slot: Slot, tool: Tool, sight: Sight) -> Sight:
    """With other calls under way on the same file, claim only what this call asked for."""
    content = expected(tool.proposal, _noted(situation.states, slot.state))
    return sight if content is None else sight_of(content)


def _changed_proposal(situation: Situation, signal: Signal, tool: Tool, slot: Slot, sight: Sight) -> Sight | None:
    """Return what the agent proposed, where a person changed it before it was written and both are known."""
    if signal.result is None or not signal.result.user_modified or sight.content is None:
        return None
    call = slot.state.pending.get(tool.call_id or "")
    proposal = _remembered(situation, call) if call else tool.proposal
    content = expected(proposal, _noted(situation.states, slot.state))
    return None if content in (None, sight.content) else sight_of(content)


def _in_two_steps(
    situation: Situation, signal: Signal, tool: Tool, slot: Slot, proposed: Sight, own: Sight
) -> Iterator[Draft]:
    """Yield the change that the agent proposed, then what a person made of it: each owns their own lines."""
    unmodified = signal.result._replace(user_modified=False) if signal.result else None
    first = _difference(situation.states, slot.state, proposed)
    yield from _mutations(first, "tool", signal._replace(result=unmodified), tool)
    second = transition(slot.state.path, proposed.content, own.content)
    yield from _mutations(second, "human", signal, tool)


def _committed(situation: Situation, slot: Slot) -> bytes | None:
    """Return the file as HEAD has it, asked only while nothing of it is recorded."""
    if slot.state.recorded is not None or situation.revision is None:
        return None
    return scan.contents(situation.repository, situation.revision, [slot.state.path]).get(slot.state.path)


# Commands


def before_command(situation: Situation, paths: Iterable[str]) -> tuple[list[Seen], bool]:
    """Note every file that differs from its commit or from what is remembered: a command may touch any.

    `paths` are those that it names and those that git calls changed; all files are held. False when there was no time
    for all of them: what is found changed afterwards may have been changed before.
    """
    end = time.process_time() + SCAN_SECONDS
    seen: list[Seen] = []
    for path in dict.fromkeys([*paths, *scan.stale_paths(situation.states)]):
        if time.process_time() > end:
            return seen, False
        slot = situation.states.slot(path)
        if slot.state.noted is not None and situation.states.unchanged(slot.state):
            continue
        sight = situation.states.look(path)
        if sight is not None:
            seen.append(note(situation, slot, sight))
    return seen, True


def after_command(
    situation: Situation,
    signal: Signal,
    tool: Tool,
    paths: Sequence[str],
    dirty: Sequence[str],
    call: Mapping[str, Any],
) -> Iterator[Effect]:
    """Record what a command changed anywhere; without its pre hook, nobody can say that it was this command.

    `dirty` are the files that git calls changed; all files are held.
    """
    began_at = object_id(call["revision"]) if "revision" in call else situation.revision
    moved = scan.movement(situation.repository, began_at, situation.revision) if call else None
    around = [*paths, *dirty, *scan.stale_paths(situation.states)]
    if moved:
        around += scan.moved_paths(situation.repository, moved)
    found, unscanned = _changes(situation, around, began_at)
    yield Unscanned(unscanned)
    changes = [change for change in found if not _another_s(situation, signal, change.slot.state, change.sight)]
    yield from _mutations(
        [entry for change in changes for entry in _unseen(situation.states, change.slot.state, change.base)]
    )
    by_git = _put_there_by_git(situation, changes, set(dirty), moved) if call else set()
    mixed = _mixed(situation, tool, [change for change in changes if change.slot.state.path not in by_git], call, moved)
    claim = "unseen" if not call.get("noted") else "shell" if tool.operation == "shell" else "tool"
    for via, entries in _claimed(situation, changes, claim, by_git, mixed).items():
        yield from _mutations(entries, via, signal, tool)
    for change in changes:
        yield settle(situation, change.slot, change.sight, change.slot.state.pending)
    if moved and moved.base != moved.new:
        yield from _commits(situation.repository, moved)


def _claimed(
    situation: Situation, changes: Sequence["_Change"], claim: str, by_git: set[str], mixed: Mapping[str, bytes]
) -> dict[str, list[Entry]]:
    """Describe each change once, under git where git made it, else under whoever claims it."""
    origins = _renames(situation, changes)
    copies = _copies(situation, [change for change in changes if change.slot.state.path not in origins])
    before = {change.slot.state.path: _noted(situation.states, change.slot.state) for change in changes}
    entries: dict[str, list[Entry]] = {"git": [], claim: []}
    for change in changes:
        path, after = change.slot.state.path, change.sight.content
        if path in origins:
            via = "git" if path in by_git or mixed.get(path) == after else claim
            entries[via] += transition(path, before[origins[path]], after, from_path=origins[path])
        elif path in copies:
            entries[claim] += copy(path, after or b"", copies[path])
        elif path in mixed:
            entries["git"] += transition(path, before[path], mixed[path])
            entries[claim] += [] if mixed[path] == after else transition(path, mixed[path], after)
        elif path not in origins.values():
            via = "git" if path in by_git else claim
            entries[via] += _difference(situation.states, change.slot.state, change.sight)
    return entries


class _Change(NamedTuple):
    """A file that is not as it was noted. `base` is its content in the commit the command started from."""

    slot: Slot
    sight: Sight
    base: bytes | None


def _changes(situation: Situation, paths: Sequence[str], revision: str | None) -> tuple[list[_Change], int]:
    """Return which of these files are not as they were noted, and how many nobody had time to look at."""
    slots = {path: situation.states.slot(path) for path in dict.fromkeys(paths)}
    sights: dict[str, Sight] = {}
    unscanned = 0
    end = time.process_time() + SCAN_SECONDS
    for at, (path, slot) in enumerate(slots.items(), 1):
        sight = None if situation.states.unchanged(slot.state) else situation.states.look(path)
        if sight is not None and sight.hash != slot.state.noted:
            sights[path] = sight
        if time.process_time() > end:
            unscanned = len(slots) - at
            break
    bases = scan.contents(
        situation.repository, revision, [path for path in sights if slots[path].state.recorded is None]
    )
    found = []
    for path, sight in sights.items():
        slot = slots[path]
        if slot.state.noted is None:
            suppose(situation, slot, bases.get(path))
        if slot.state.noted != sight.hash:
            found.append(_Change(slot, sight, bases.get(path)))
    return found, unscanned


def _another_s(situation: Situation, signal: Signal, state: State, sight: Sight) -> bool:
    """Return whether a change is what calls of others were going to write: they have not reported yet."""
    others = {call: about for call, about in state.pending.items() if about.get("by") != caller(signal)}
    return under_way(situation, state._replace(pending=others), sight)


def _put_there_by_git(
    situation: Situation, changes: Sequence[_Change], dirty: set[str], moved: scan.Moved | None
) -> set[str]:
    """Return the changed files that now are as HEAD has them without this command having committed anything."""
    if moved and moved.base != moved.new:
        return set()
    clean = [change for change in changes if change.slot.state.path not in dirty]
    committed = scan.contents(situation.repository, situation.revision, [change.slot.state.path for change in clean])
    return {
        path
        for change in clean
        if (path := change.slot.state.path) in committed or (moved and change.sight.hash == ABSENT)
    }


def _mixed(
    situation: Situation, tool: Tool, changes: Sequence[_Change], call: Mapping[str, Any], moved: scan.Moved | None
) -> dict[str, bytes]:
    """Return what git alone would have left in files that the command may have written, too."""
    if not call or not changes or situation.repository.git_dir is None:
        return {}
    from linetrail.ledger.observe.git_writes import File, Ran, brought  # where something changed

    ran = Ran(call.get("at") or situation.now_ns, object_id(call.get("stash")), moved, tool.command or "")
    states = [(change.slot.state, change.sight) for change in changes]
    files = {state.path: File(_noted(situation.states, state), sight.content) for state, sight in states}
    return brought(situation.repository, ran, files)


def _renames(situation: Situation, changes: Sequence[_Change]) -> dict[str, str]:
    """Pair each new file with the vanished one it came from: new path -> old path, the most alike first."""
    gone = [(change, _noted(situation.states, change.slot.state)) for change in changes if change.sight.hash == ABSENT]
    new = [change for change in changes if change.slot.state.noted == ABSENT and change.sight.content]
    if len(gone) * len(new) > MAX_RENAME_PAIRS:
        return {}
    alike = [
        (share, change.slot.state.path, old.slot.state.path)
        for old, before in gone
        for change in new
        if (share := similarity(before or b"", change.sight.content or b"")) >= RENAMED_SHARE
    ]
    pairs: dict[str, str] = {}
    for _, path, old_path in sorted(alike, key=lambda found: (-found[0], found[1:])):
        if path not in pairs and old_path not in pairs.values():
            pairs[path] = old_path
    return pairs


def _copies(situation: Situation, changes: Sequence[_Change]) -> dict[str, str]:
    """Pair each new file with one that had its content before and is still there: new path -> copied path."""
    new = {
        change.slot.state.path: change.sight.hash
        for change in changes
        if change.slot.state.noted == ABSENT and (change.sight.content or b"").count(b"\n") >= MIN_COPIED_LINES
    }
    if not new:
        return {}
    held = {state.noted: state.path for state in situation.states.recent() if state.noted and state.path not in new}
    found = {path: held[content] for path, content in new.items() if content in held}
    left = [path for path in new if path not in found]
    if left and situation.revision is not None:
        committed = scan.names_at(situation.repository, situation.revision)
        names = scan.object_names(situation.repository, left)
        found |= {path: committed[name] for path, name in names.items() if committed.get(name, path) != path}
    return found


def _commits(repository: Repository, moved: scan.Moved) -> Iterator[Draft]:
    for revision, parents, files in scan.new_commits(repository, moved):
        patch_id = scan.patch_id(repository, revision)
        data = {"revision": revision, "parents": parents, "patch_id": patch_id, "files": fitting(files)}
        yield Draft("commit.observed", "unknown", data)


# The memory of a file


def note(situation: Situation, slot: Slot, sight: Sight) -> Seen:
    """Take what is on disk as the state the next tool starts from.

    Not when it is what calls under way were going to write: they have not reported yet, and will claim it. Where
    it is not, one of them may be in the middle of writing, so it gets a moment.
    """
    fresh = {call: about for call, about in slot.state.pending.items() if about["at"] + PENDING_NS > situation.now_ns}
    slot.state = slot.state._replace(pending=fresh)
    for pause in (*HALF_WRITTEN_SECONDS, None) if fresh else (None,):
        if slot.state.noted == sight.hash or under_way(situation, slot.state, sight):
            break
        if pause is None:
            see(slot, sight, situation.now_ns)
            break
        time.sleep(pause)
        sight = situation.states.look(slot.state.path) or sight
    return Seen(slot, sight)


def see(slot: Slot, sight: Sight, now_ns: int) -> None:
    slot.state = slot.state._replace(noted=sight.hash, size=sight.size, mtime_ns=sight.mtime_ns, noted_ns=now_ns)


def suppose(situation: Situation, slot: Slot, content: bytes | None) -> None:
    """Take a content that is not on disk as the noted one."""
    sight = sight_of(content)
    situation.states.keep(sight)
    see(slot, sight, situation.now_ns)


def settle(situation: Situation, slot: Slot, sight: Sight, pending: dict[str, Any]) -> Seen:
    """Take a state as recorded, to be remembered once the events are on disk."""
    see(slot, sight, situation.now_ns)
    slot.state = slot.state._replace(recorded=sight.hash, pending=pending)
    return Seen(slot, sight)


def under_way(situation: Situation, state: State, sight: Sight) -> bool:
    """Return whether a file is as calls that have not reported yet were going to leave it."""
    proposals = [_remembered(situation, about) for about in state.pending.values()]
    return bool(proposals) and explain(proposals, _noted(situation.states, state), sight.content)


def _remembered(situation: Situation, about: Mapping[str, Any]) -> Proposal | None:
    """Return what a call on its way proposed; None where that was not kept, or cannot be read any more."""
    return proposal_from_bytes(situation.states.objects.opened(about["proposal"]))


# The way between two remembered states of a file, and the events that tell it


def _unseen(states: States, state: State, base: bytes | None) -> list[Entry]:
    """Describe the way from the last recorded state, or from the commit, to the noted one."""
    if state.noted in (None, state.recorded):
        return []
    content = _noted(states, state)
    if state.recorded is not None:
        return _way(states, state.path, state.recorded, state.noted, content)
    if content is None or content == base:
        return []
    return snapshot(state.path, content) if base is None else transition(state.path, base, content)


def _difference(states: States, state: State, sight: Sight) -> list[Entry]:
    """Describe the way from the noted state to what is on disk."""
    return _way(states, state.path, state.noted or ABSENT, sight.hash, sight.content)


def _noted(states: States, state: State) -> bytes | None:
    """Return the noted content; None where there was no file, or where it is no longer kept."""
    return states.objects.read(state.noted) if state.noted else None


def _mutations(
    entries: Sequence[Entry], via: str = "unseen", signal: Signal | None = None, tool: Tool | None = None
) -> Iterator[Draft]:
    """Spread the entries over events that each fit a line. What nobody was seen doing names no tool."""
    claimed, by_person = via in ("tool", "shell"), via == "human"
    result = signal.result if signal and claimed else None
    known = via != "unseen"
    contributor = "ai" if claimed else "human" if by_person else "unknown"
    facts = {
        "tool_call_id": tool.call_id if tool and known else None,
        "tool_name": tool.name if tool and known else None,
        "via": via,
        "agent_id": signal.agent_id if signal and claimed else None,
        "user_modified": True if by_person else result.user_modified if result else None,
        "declared_class": _declared(tool) if tool and claimed else None,
    }
    for group in groups(entries):
        yield Draft("mutation.observed", contributor, facts | {"files": group})


def _declared(tool: Tool) -> str | None:
    """Return what the call says that its change is, where its tool has a word for that."""
    word = tool.input.get("mutation_class")
    if not isinstance(word, str) or len(word) > MAX_WORD:
        return None
    return word if word.isascii() and word.replace("_", "").isalpha() else None


def _way(states: States, path: str, old: str, new: str | None, content: bytes | None) -> list[Entry]:
    """Describe how a file came from one remembered hash to another, as far as contents are there to tell."""
    if old == new:
        return []
    before = None if old == ABSENT else states.objects.read(old)
    lost = before is None and old != ABSENT
    if new == ABSENT:
        return [unread(path, old, None, "content lost")] if lost else transition(path, before, None)
    if content is None:
        return [unread(path, old or None, new, "too large")]
    return snapshot(path, content) if lost else transition(path, before, content)
