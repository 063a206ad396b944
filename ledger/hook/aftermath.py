"""What a command did to files: nobody is told which, so all that may have changed are looked at, before and after.

What changed while it ran is the command's, but for what git itself put there (checkout, pull, stash), which is
nobody's writing, and for what other calls on their way are about to claim.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.event.drafts import Draft, fitting
from linetrail.ledger.event.signal import Signal, Tool
from linetrail.ledger.hook.situation import Scene, caller, note, settle, suppose, under_way
from linetrail.ledger.observe import scan
from linetrail.ledger.observe.git_writes import File, Ran, brought
from linetrail.ledger.observe.mutation import Entry, copy, transition
from linetrail.ledger.observe.state_changes import difference, mutations, noted, unseen
from linetrail.ledger.observe.states import ABSENT, Sight, Slot, State
from linetrail.ledger.observe.substance import similarity
from linetrail.ledger.repository import Repository
from linetrail.ledger.vcs import object_id

# As in git: a file with at least half of another's lines came from it.
RENAMED_SHARE = 0.5
MAX_RENAME_PAIRS = 400
# Shorter files are alike by chance.
MIN_COPIED_LINES = 3
# What a scan may take of the hook's own deadline; what it did not reach is counted, and found later.
SCAN_SECONDS = 0.4


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
            note(scene, slot, sight)
    return True


def after_command(
    scene: Scene, signal: Signal, tool: Tool, paths: Sequence[str], call: Mapping[str, Any]
) -> Iterator[Draft]:
    """Record what a command changed anywhere; without its pre hook, nobody can say that it was this command."""
    scene.held.enter_context(scene.states.hold_all())
    began_at = object_id(call["revision"]) if "revision" in call else scene.revision
    moved = scan.movement(scene.repository, began_at, scene.revision) if call else None
    dirty = scan.dirty_paths(scene.repository)
    around = [*paths, *dirty, *scan.stale_paths(scene.states)]
    if moved:
        around += scan.moved_paths(scene.repository, moved)
    changes = [
        change
        for change in _changes(scene, around, began_at)
        if not _another_s(scene, signal, change.slot.state, change.sight)
    ]
    yield from mutations(
        [entry for change in changes for entry in unseen(scene.states, change.slot.state, change.base)]
    )
    by_git = _put_there_by_git(scene, changes, set(dirty), moved) if call else set()
    mixed = _mixed(scene, tool, [change for change in changes if change.slot.state.path not in by_git], call, moved)
    claim = "unseen" if not call.get("noted") else "shell" if tool.operation == "shell" else "tool"
    for via, entries in _claimed(scene, changes, claim, by_git, mixed).items():
        yield from mutations(entries, via, signal, tool)
    for change in changes:
        settle(scene, change.slot, change.sight, change.slot.state.pending)
    if moved and moved.base != moved.new:
        yield from _commits(scene.repository, moved)


def _claimed(
    scene: Scene, changes: Sequence["_Change"], claim: str, by_git: set[str], mixed: Mapping[str, bytes]
) -> dict[str, list[Entry]]:
    """Describe each change once, under git where git made it, else under whoever claims it."""
    origins = _renames(scene, changes)
    copies = _copies(scene, [change for change in changes if change.slot.state.path not in origins])
    before = {change.slot.state.path: noted(scene.states, change.slot.state) for change in changes}
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
            entries[via] += difference(scene.states, change.slot.state, change.sight)
    return entries


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
            suppose(scene, slot, bases.get(path))
        if slot.state.noted != sight.hash:
            found.append(_Change(slot, sight, bases.get(path)))
    return found


def _another_s(scene: Scene, signal: Signal, state: State, sight: Sight) -> bool:
    """Tell whether a change is what calls of others were going to write: they have not reported yet."""
    others = {call: about for call, about in state.pending.items() if about.get("by") != caller(signal)}
    return under_way(scene, state._replace(pending=others), sight)


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
    ran = Ran(call.get("at") or scene.now_ns, object_id(call.get("stash")), moved, tool.command or "")
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


def _copies(scene: Scene, changes: Sequence[_Change]) -> dict[str, str]:
    """Pair each new file with one that had its content before and is still there: new path -> copied path."""
    new = {
        change.slot.state.path: change.sight.hash
        for change in changes
        if change.slot.state.noted == ABSENT and (change.sight.content or b"").count(b"\n") >= MIN_COPIED_LINES
    }
    if not new:
        return {}
    held = {state.noted: state.path for state in scene.states.recent() if state.noted and state.path not in new}
    found = {path: held[content] for path, content in new.items() if content in held}
    left = [path for path in new if path not in found]
    if left and scene.revision is not None:
        committed = scan.names_at(scene.repository, scene.revision)
        names = scan.object_names(scene.repository, left)
        found |= {path: committed[name] for path, name in names.items() if committed.get(name, path) != path}
    return found


def _commits(repository: Repository, moved: scan.Moved) -> Iterator[Draft]:
    for revision, parents, files in scan.new_commits(repository, moved):
        patch_id = scan.patch_id(repository, revision)
        data = {"revision": revision, "parents": parents, "patch_id": patch_id, "files": fitting(files)}
        yield Draft("commit.observed", "unknown", data)
