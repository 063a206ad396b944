"""Destroy what is kept outside of the ledger: contents of files, and the salts of commitments.

Lines are never changed, so the chain stays whole; a `payload.erased` says what is gone. It is appended last: it is
said only when it is true, and whoever was stopped before can ask again, because everything here may be done twice.
An erased content leaves an empty file under its name. So it is not kept again when a hook meets it on disk.
"""

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.errors import StorageError
from linetrail.ledger.event import commitments
from linetrail.ledger.event.event import Event, derived_id, rfc3339
from linetrail.ledger.files import PRIVATE_FILE, StateFolder, make_folder, sync, sync_folder
from linetrail.ledger.observe.states import REQUESTED, States
from linetrail.ledger.redact.redactor import private_folder
from linetrail.ledger.repository import Repository
from linetrail.ledger.worktrees import worktrees

CONTENT, SALT = "content", "salt"
ERASED, ALREADY, NOT_KEPT = "erased", "already erased", "not kept here"


class Payload(NamedTuple):
    """What may be kept outside of the ledger: a content by its hash, or a salt by the commitment made with it."""

    kind: str
    sha256: str
    paths: tuple[str, ...] = ()
    event_id: str | None = None
    session_id: str | None = None


class Outcome(NamedTuple):
    """What became of a payload; `bytes` is what it took on the disk."""

    payload: Payload
    status: str
    bytes: int


class Found(NamedTuple):
    """What the ledger has of what was asked for. `told` are the payloads that have a tombstone already."""

    payloads: list[Payload]
    told: set[str]
    # events that hold a plain hash of a prompt: it stays
    hashed: list[str]
    # selectors that name something
    known: set[str]


def find(read: Callable[[], Iterable[Event]], selectors: Collection[str], paths: Collection[str]) -> Found:
    """Look for what the selectors name: an event, a session, a hash; and for all contents of these files.

    The events are read as often as they are needed, and not held.
    """
    names = _all_names(read(), paths) if paths else set()
    found: dict[tuple[str, str | None], Payload] = {}
    told: set[str] = set()
    known: set[str] = set()
    hashed: list[str] = []
    for event in read():
        if event.type == "payload.erased":
            told.add(event.data["sha256"])
        named = {name for name in (event.id, event.session_id) if name is not None and name in selectors}
        known |= named
        for payload in _payloads(event, names):
            if named or payload.sha256 in selectors or names.intersection(payload.paths):
                key = payload.sha256, payload.event_id
                others = found[key].paths if key in found else ()
                found[key] = payload._replace(paths=tuple(dict.fromkeys((*others, *payload.paths))))
                known |= {payload.sha256, *payload.paths}
        if named and event.type == "prompt.submitted" and event.data.get("sha256"):
            hashed.append(event.id)
    return Found(list(found.values()), told, hashed, known)


def remembered(repository: Repository, paths: Collection[str]) -> list[Payload]:
    """Return the contents of these files that no event speaks of: seen by a hook, or lying in a worktree now."""
    found = []
    for worktree in worktrees(repository):
        states = States(worktree)
        for path in paths:
            state, sight = states.known(path), states.look(path)
            hashes = (state.recorded, state.noted) if state else ()
            found += [Payload(CONTENT, name, (path,)) for name in (*hashes, sight and sight.hash) if name]
    return list({payload.sha256: payload for payload in found}.values())


def look(repository: Repository, payloads: Iterable[Payload]) -> list[Outcome]:
    """Return what is kept of these payloads, and erase nothing."""
    payloads = list(payloads)
    everywhere = [States(worktree) for worktree in worktrees(repository)]
    there = {name for worktree in worktrees(repository) for name in lying(worktree, payloads).values()}
    return [_seen(repository, payload, everywhere, there) for payload in payloads]


def erase(repository: Repository, payloads: Sequence[Payload]) -> list[Outcome]:
    """Destroy these payloads in every worktree, and what was derived; on the disk when it returns."""
    before = look(repository, payloads)
    try:
        for worktree in worktrees(repository):
            _erase_contents(worktree, payloads)
            shutil.rmtree(os.path.join(worktree.folder, "cache"), ignore_errors=True)
        for session_id in {payload.session_id for payload in payloads if payload.kind == SALT}:
            events = {one.event_id for one in payloads if one.session_id == session_id and one.event_id}
            commitments.erase(private_folder(repository), session_id, events)
    except OSError as error:
        raise StorageError(f"cannot erase {error.filename or repository.folder}: {error.strerror}") from None
    return before


def lying(repository: Repository, payloads: Iterable[Payload]) -> dict[str, str]:
    """Return the hash of what each file in question holds now: what a hook would keep again."""
    states = States(repository)
    sights = {path: states.look(path) for path in {path for payload in payloads for path in payload.paths}}
    return {path: sight.hash for path, sight in sights.items() if sight is not None}


def tombstones(outcomes: Iterable[Outcome], told: Collection[str], reason: str | None, now_ns: int) -> list[Event]:
    """Return the events that say what is gone: for each payload that was there, or that nobody told of yet."""
    gone = [
        outcome.payload
        for outcome in outcomes
        if outcome.status == ERASED or (outcome.status == ALREADY and outcome.payload.sha256 not in told)
    ]
    return [_tombstone(payload, reason, now_ns) for payload in gone]


def _payloads(event: Event, names: Collection[str]) -> Iterator[Payload]:
    """Yield what an event speaks of: the content it led to, of the files in question also the one before."""
    if event.type in ("prompt.submitted", "thought.recorded") and event.data.get("commitment"):
        yield Payload(SALT, event.data["commitment"], (), event.id, event.session_id)
    for entry in event.data.get("entries", ()) if event.type == "recovery_point.marked" else ():
        if entry.get("hash"):
            yield Payload(CONTENT, entry["hash"], (entry["path"],))
    for entry in event.data.get("files", ()) if event.type == "mutation.observed" else ():
        if entry.get("after_hash"):
            yield Payload(CONTENT, entry["after_hash"], (entry["path"],))
        origin = entry.get("from_path") or entry["path"]
        if entry.get("before_hash") and origin in names:
            yield Payload(CONTENT, entry["before_hash"], (origin,))


def _all_names(events: Iterable[Event], paths: Collection[str]) -> set[str]:
    """Add every name that these files had before, or have had since."""
    renames = [
        {entry["path"], entry["from_path"]}
        for event in events
        if event.type == "mutation.observed"
        for entry in event.data.get("files", ())
        if entry.get("from_path")
    ]
    names, size = set(paths), -1
    while size != len(names):
        size = len(names)
        names.update(*(pair for pair in renames if pair & names))
    return names


def _seen(repository: Repository, payload: Payload, everywhere: Sequence[States], there: Collection[str]) -> Outcome:
    if payload.kind == SALT:
        salted = commitments.salted(private_folder(repository), payload.session_id)
        if payload.event_id not in salted:
            return Outcome(payload, NOT_KEPT, 0)
        kept = salted[payload.event_id]
        return Outcome(payload, ERASED if kept else ALREADY, 2 * commitments.SALT_BYTES if kept else 0)
    sizes = [size for states in everywhere if (size := _size(states.objects.path(payload.sha256))) is not None]
    if any(sizes) or (payload.sha256 in there and not sizes):
        return Outcome(payload, ERASED, sum(sizes))
    return Outcome(payload, ALREADY if sizes else NOT_KEPT, 0)


def _size(path: str) -> int | None:
    try:
        return os.lstat(path).st_size
    except OSError:
        return None


def _erase_contents(worktree: Repository, payloads: Sequence[Payload]) -> None:
    """Take every hook's memory of these contents, the whole texts under their commitments, and what requests hold."""
    states = States(worktree)
    with states.hold_all():
        found = lying(worktree, payloads).values()
        for payload in payloads:
            for path in payload.paths:
                states.forget_proposals(path)
            kept = states.objects.path(payload.sha256)
            if os.path.lexists(kept) or payload.sha256 in found:
                _empty(kept)
    requested = StateFolder(worktree, REQUESTED)
    for name in requested.names():  # whose contents these have cannot be told without opening each
        requested.drop(name)


def _empty(path: str) -> None:
    """Overwrite a file, then leave it empty: what the disk itself still has of it is out of our hands."""
    make_folder(os.path.dirname(path))
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0), PRIVATE_FILE)
    try:
        os.write(fd, bytes(os.fstat(fd).st_size))
        sync(fd)
        os.ftruncate(fd, 0)
        os.fsync(fd)
    finally:
        os.close(fd)
    sync_folder(os.path.dirname(path))


def _tombstone(payload: Payload, reason: str | None, now_ns: int) -> Event:
    data = {
        "sha256": payload.sha256,
        "reason": reason,
        "kind": payload.kind,
        "erased_event_id": payload.event_id,
        "path": next(iter(payload.paths), None),
    }
    event_id = derived_id(now_ns, "payload.erased", payload.sha256, payload.event_id or "")
    return Event(event_id, rfc3339(now_ns), "payload.erased", None, None, "human", None, None, data)
