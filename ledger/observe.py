"""What a tool did to files: noted before, compared after, recorded as transitions.

Before a tool runs, the files it may touch are noted. After it ran, the way from the noted state to what is on
disk is that tool's. The way from the last recorded state to the noted one was gone by nobody we saw, and is
recorded first. What git itself put there (checkout, pull, stash) is nobody's writing either.
"""

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger import scan
from linetrail.ledger.brought import File, Ran, brought
from linetrail.ledger.differences import difference, mutations, noted, unseen
from linetrail.ledger.drafts import Draft, fitting
from linetrail.ledger.event import Vcs
from linetrail.ledger.mutation import Entry, transition
from linetrail.ledger.proposals import expected, explain, from_record, to_record, undone
from linetrail.ledger.repository import Repository
from linetrail.ledger.signal import Signal, Tool
from linetrail.ledger.states import ABSENT, Sight, Slot, State, States, sight_of
from linetrail.ledger.substance import same_substance, similarity
from linetrail.ledger.vcs import object_id

# As in git: a file with at least half of another's lines came from it.
RENAMED_SHARE = 0.5
MAX_RENAME_PAIRS = 400
# What a scan may take of the hook's own deadline; what it did not reach is counted, and found later.
SCAN_SECONDS = 0.4
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

    @property
    def revision(self) -> str | None:
        """HEAD, None before the first commit and outside git."""
        return self.vcs.revision if self.vcs else None

    def hold(self, paths: Sequence[str]) -> Mapping[str, Slot]:
        """Lock the memory of these files until the signal is recorded."""
        return self.held.enter_context(self.states.hold(paths))


# Before


def before_write(scene: Scene, signal: Signal, tool: Tool, paths: Sequence[str]) -> None:
    """Note the files that a write tool names."""
    for slot in scene.hold(paths).values():
        sight = scene.states.look(slot.state.path)
        if sight is not None:
            _note(scene, slot, sight)
            _expect(scene, slot, signal, tool)


def before_command(scene: Scene, paths: Sequence[str]) -> bool:
    """Note every file that differs from its commit or from what is remembered: a command may touch any.

    False when there was no time for all of them: what is found changed afterwards may have been changed before.
    """
    scene.held.enter_context(scene.states.hold_all())
    end = time.monotonic() + SCAN_SECONDS
    for path in dict.fromkeys([*paths, *scan.dirty_paths(scene.repository), *scan.stale_paths(scene.states)]):
        if time.monotonic() > end:
            return False
        slot = scene.states.slot(path)
        if slot.state.noted is not None and scene.states.unchanged(slot.state):
            continue
        sight = scene.states.look(path)
        if sight is not None:
            _note(scene, slot, sight)
    return True


def _note(scene: Scene, slot: Slot, sight: Sight) -> None:
    """Take what is on disk as the state the next tool starts from.

    Not when it is what calls under way were going to write: they have not reported yet, and will claim it. Where
    it is not, one of them may be in the middle of writing, so it gets a moment.
    """
    fresh = {call: about for call, about in slot.state.pending.items() if about["at"] + PENDING_NS > scene.now_ns}
    slot.state = slot.state._replace(pending=fresh)
    for pause in (*HALF_WRITTEN_SECONDS, None) if fresh else (None,):
        if slot.state.noted == sight.hash or _under_way(scene, slot.state, sight):
            break
        if pause is None:
            _see(slot, sight, scene.now_ns)
            break
        time.sleep(pause)
        sight = scene.states.look(slot.state.path) or sight
    scene.seen.append((slot, sight))


def _caller(signal: Signal) -> list[str | None]:
    """Name who calls: its calls that change files come one after the other."""
    return [signal.session_id, signal.agent_id]


def _another_s(scene: Scene, signal: Signal, state: State, sight: Sight) -> bool:
    """Tell whether a change is what calls of others were going to write: they have not reported yet."""
    others = {call: about for call, about in state.pending.items() if about.get("by") != _caller(signal)}
    return _under_way(scene, state._replace(pending=others), sight)


def _under_way(scene: Scene, state: State, sight: Sight) -> bool:
    proposals = [from_record(about["proposal"]) for about in state.pending.values()]
    return bool(proposals) and explain(proposals, noted(scene.states, state), sight.content)


def _see(slot: Slot, sight: Sight, now_ns: int) -> None:
    slot.state = slot.state._replace(noted=sight.hash, size=sight.size, mtime_ns=sight.mtime_ns, noted_ns=now_ns)


def _suppose(scene: Scene, slot: Slot, content: bytes | None) -> None:
    """Take a content that is not on disk as the noted one."""
    sight = sight_of(content)
    scene.states.keep(sight)
    _see(slot, sight, scene.now_ns)


def _expect(scene: Scene, slot: Slot, signal: Signal, tool: Tool) -> None:
    if tool.call_id is not None:
        call = {tool.call_id: {"at": scene.now_ns, "by": _caller(signal), "proposal": to_record(tool.proposal)}}
        slot.state = slot.state._replace(pending=slot.state.pending | call)


# After a write tool


def after_write(scene: Scene, signal: Signal, tool: Tool, paths: Sequence[str]) -> Iterator[Draft]:
    """Record what a write tool left in the files it named."""
    for slot in scene.hold(paths).values():
        sight = scene.states.look(slot.state.path)
        if sight is None:
            continue
        if tool.call_id not in slot.state.pending:
            _reconstruct(scene, signal, tool, slot, sight)
        yield from mutations(unseen(scene.states, slot.state, _committed(scene, slot)))
        others = {call: about for call, about in slot.state.pending.items() if call != tool.call_id}
        own = _own_part(scene, slot, tool, sight) if others else sight
        # A write leaves a file; that there is none was somebody else's doing.
        via = "unseen" if own.hash == ABSENT else "tool"
        yield from mutations(difference(scene.states, slot.state, own), via, signal, tool)
        _settle(scene, slot, own, others)


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
        _suppose(scene, slot, before)


def _own_part(scene: Scene, slot: Slot, tool: Tool, sight: Sight) -> Sight:
    """With other calls under way on the same file, claim only what this call asked for."""
    content = expected(tool.proposal, noted(scene.states, slot.state))
    return sight if content is None else sight_of(content)


# After a command


def after_command(
    scene: Scene, signal: Signal, tool: Tool, paths: Sequence[str], call: Mapping[str, Any]
) -> Iterator[Draft]:
    """Record what a command changed anywhere; without its pre hook, nobody can say that it was this command."""
    scene.held.enter_context(scene.states.hold_all())
    before_revision = object_id(call["revision"]) if "revision" in call else scene.revision
    moved = scan.movement(scene.repository, before_revision, scene.revision) if call else None
    dirty = scan.dirty_paths(scene.repository)
    around = [*paths, *dirty, *scan.stale_paths(scene.states)]
    if moved:
        around += scan.moved_paths(scene.repository, moved)
    changed = _changes(scene, around, before_revision)
    changes = [change for change in changed if not _another_s(scene, signal, change.slot.state, change.sight)]
    origins = _renames(scene, changes)
    before = {change.slot.state.path: noted(scene.states, change.slot.state) for change in changes}
    yield from mutations(
        [entry for change in changes for entry in unseen(scene.states, change.slot.state, change.base)]
    )
    claim = "unseen" if not call.get("noted") else "shell" if tool.operation == "shell" else "tool"
    by_git = _put_there_by_git(scene, changes, set(dirty), moved) if call else set()
    mixed = _mixed(scene, tool, [change for change in changes if change.slot.state.path not in by_git], call, moved)
    entries: dict[str, list[Entry]] = {"git": [], claim: []}
    for change in changes:
        path, origin = change.slot.state.path, origins.get(change.slot.state.path)
        if origin is not None:
            found = transition(path, before[origin], change.sight.content, from_path=origin)
            entries["git" if path in by_git or mixed.get(path) == change.sight.content else claim] += found
        elif path in mixed:
            entries["git"] += transition(path, before[path], mixed[path])
            entries[claim] += _added(path, mixed[path], change.sight.content)
        elif path not in origins.values():
            entries["git" if path in by_git else claim] += difference(scene.states, change.slot.state, change.sight)
        _settle(scene, change.slot, change.sight, change.slot.state.pending)
    for via, some in entries.items():
        yield from mutations(some, via, signal, tool)
    if moved and moved.base != moved.new:
        yield from _commits(scene.repository, moved)


def _added(path: str, brought_content: bytes, content: bytes | None) -> list[Entry]:
    """Describe what a command made of what git brought; nothing where it left it alone."""
    return [] if brought_content == content else transition(path, brought_content, content)


class _Change(NamedTuple):
    """A file that is not as it was noted. `base` is its content in the commit the command started from."""

    slot: Slot
    sight: Sight
    base: bytes | None


def _changes(scene: Scene, paths: Sequence[str], revision: str | None) -> list[_Change]:
    slots = {path: scene.states.slot(path) for path in dict.fromkeys(paths)}
    sights: dict[str, Sight] = {}
    end = time.monotonic() + SCAN_SECONDS
    for at, (path, slot) in enumerate(slots.items(), 1):
        sight = None if scene.states.unchanged(slot.state) else scene.states.look(path)
        if sight is not None and sight.hash != slot.state.noted:
            sights[path] = sight
        if time.monotonic() > end:
            scene.unscanned.append(len(slots) - at)
            break
    bases = scan.contents(scene.repository, revision, [path for path in sights if slots[path].state.recorded is None])
    found = []
    for path, sight in sights.items():
        slot = slots[path]
        if slot.state.noted is None:
            _suppose(scene, slot, bases.get(path))
        if slot.state.noted != sight.hash:
            found.append(_Change(slot, sight, bases.get(path)))
    return found


def _put_there_by_git(scene: Scene, changes: Sequence[_Change], dirty: set[str], moved: scan.Moved | None) -> set[str]:
    """Return the changed files that now are as HEAD has them without this command having committed anything."""
    if moved and moved.base != moved.new:
        return set()
    clean = [change for change in changes if change.slot.state.path not in dirty]
    committed = scan.contents(scene.repository, scene.revision, [change.slot.state.path for change in clean])
    return {
        path
        for change in clean
        if (path := change.slot.state.path) in committed or (moved and change.sight.hash == ABSENT)
    }


def _mixed(
    scene: Scene, tool: Tool, changes: Sequence[_Change], call: Mapping[str, Any], moved: scan.Moved | None
) -> dict[str, bytes]:
    """Return what git alone would have left in files that the command may have written, too."""
    if not call or not changes or scene.repository.git_dir is None:
        return {}
    ran = Ran(call.get("at") or scene.now_ns, object_id(call.get("stash")), moved, "stash" in (tool.command or ""))
    states = [(change.slot.state, change.sight) for change in changes]
    files = {state.path: File(noted(scene.states, state), sight.content) for state, sight in states}
    return brought(scene.repository, ran, files)


def _renames(scene: Scene, changes: Sequence[_Change]) -> dict[str, str]:
    """Pair each new file with the vanished one it came from: new path -> old path, the most alike first."""
    gone = [(change, noted(scene.states, change.slot.state)) for change in changes if change.sight.hash == ABSENT]
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


def _commits(repository: Repository, moved: scan.Moved) -> Iterator[Draft]:
    for revision, parents, files in scan.new_commits(repository, moved):
        patch_id = scan.patch_id(repository, revision)
        data = {"revision": revision, "parents": parents, "patch_id": patch_id, "files": fitting(files)}
        yield Draft("commit.observed", "unknown", data)


def _settle(scene: Scene, slot: Slot, sight: Sight, pending: dict[str, Any]) -> None:
    """Take a state as recorded, to be remembered once the events are on disk."""
    _see(slot, sight, scene.now_ns)
    slot.state = slot.state._replace(recorded=sight.hash, pending=pending)
    scene.seen.append((slot, sight))


def _committed(scene: Scene, slot: Slot) -> bytes | None:
    """Return the file as HEAD has it, asked only while nothing of it is recorded."""
    if slot.state.recorded is not None or scene.revision is None:
        return None
    return scan.contents(scene.repository, scene.revision, [slot.state.path]).get(slot.state.path)
