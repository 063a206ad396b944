"""What each file looked like when a hook last saw it, what calls under way mean to do to it, and the contents of both.

Everything here is a memory that may be deleted at any time: a file that is not remembered is compared with
the commit it came from, or its past is said to be unknown. There is one small file per path.

Contents lie in `objects/` by their hashes, compressed. A file may hold secrets, and its content is kept for as long as
nobody prunes it. So it is sealed with the repository's key, which lies where copies of the folder do not get it: XORed
with SHAKE256 (FIPS 202) over the key and a nonce of its own, which is a stream cipher. The name of the file is the hash
of the content, so one that was changed is not taken for it. Without a key nothing is kept. What calls under way propose
is sealed in the same way, where it is kept beside what is remembered of their files.
"""

import contextlib
import json
import os
import stat
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from linetrail.ledger.errors import StorageError
from linetrail.ledger.event.signal import Edit, Proposal, Tool
from linetrail.ledger.files import PRIVATE_FILE, digest, locked, make_folder, publish, sha256, shake_256
from linetrail.ledger.observe.mutation import MAX_BYTES
from linetrail.ledger.redact.redactor import key, private_folder
from linetrail.ledger.repository import Repository

FOLDER = "objects"
NONCE_BYTES = 16
# Before it is no zlib stream, which begins with 0x78; contents of earlier versions are such streams.
_SEALED = b"\x01"
_PURPOSE = b"linetrail object\0"
LOCK_SECONDS = 0.4
# A file beyond this is not even hashed: its writes are in the ledger as tool calls alone.
MAX_HASHED_BYTES = 256 * 1024 * 1024
# A write this soon after we looked may leave the same time stamp.
RACY_NS = 50_000_000
# How many remembered files a scan looks at, the most recently seen first.
MAX_RECENT = 256
ABSENT = ""
# A link is never followed: stored paths have none in them, so it took the place of a file and may lead anywhere.
_OWN = os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
_LOOK = os.O_RDONLY | _OWN | getattr(os, "O_NONBLOCK", 0)
# The state files that keep what open requests would do, sealed.
REQUESTED = "proposed"
# A longer proposal is not remembered between the two hooks of a call.
MAX_REMEMBERED = 256 * 1024


class Objects:
    """The contents that one worktree keeps."""

    def __init__(self, repository: Repository) -> None:
        self._folder = os.path.join(repository.folder, FOLDER)
        self._private = private_folder(repository)
        self._key: bytes | None = None

    def path(self, name: str) -> str:
        """Return where a content is kept, by its hash; an empty file there keeps it from being kept again."""
        hexadecimal = name.removeprefix("sha256:")
        return os.path.join(self._folder, hexadecimal[:2], hexadecimal[2:])

    def read(self, name: str) -> bytes | None:
        """Return a content by its hash; None when it was pruned or is not what its name says."""
        try:
            with open(self.path(name), "rb") as file:
                stored = file.read()
            content = zlib.decompress(self._opened(stored) if stored.startswith(_SEALED) else stored)
        except (OSError, zlib.error):
            return None
        return content if digest(content) == name else None

    def keep(self, name: str, content: bytes) -> None:
        """Keep a content so that a later difference can be taken from it; where it cannot be kept it is lost."""
        path = self.path(name)
        if not os.path.lexists(path) and not os.path.islink(os.path.dirname(path)):
            with contextlib.suppress(OSError, StorageError):
                publish(path, self._sealed(content), durable=False)

    def keep_for_good(self, name: str, content: bytes) -> bool:
        """Keep a content on the disk before returning; False where it was erased here."""
        path = self.path(name)
        if os.path.islink(os.path.dirname(path)) or self.is_erased(name):
            return False
        if self.read(name) is None:
            publish(path, self._sealed(content), durable=True)
        return True

    def is_erased(self, name: str) -> bool:
        """Return whether a person had a content erased here: an empty file stands in its place."""
        try:
            return os.lstat(self.path(name)).st_size == 0
        except OSError:
            return False

    def sealed(self, content: bytes | None) -> str | None:
        """Return a content as text that says nothing without the key; None where there is none, or no key."""
        with contextlib.suppress(StorageError):
            return None if content is None else self._sealed(content).hex()
        return None

    def opened(self, text: object) -> bytes | None:
        """Undo `sealed`; None for what is no such text, or cannot be read any more."""
        with contextlib.suppress(ValueError, StorageError, zlib.error):
            return zlib.decompress(self._opened(bytes.fromhex(text))) if isinstance(text, str) else None
        return None

    def _sealed(self, content: bytes) -> bytes:
        nonce = os.urandom(NONCE_BYTES)
        return _SEALED + nonce + self._masked(zlib.compress(content, 1), nonce)

    def _opened(self, stored: bytes) -> bytes:
        if not stored.startswith(_SEALED):
            raise ValueError("not sealed")
        begin = len(_SEALED) + NONCE_BYTES
        return self._masked(stored[begin:], stored[len(_SEALED) : begin])

    def _masked(self, text: bytes, nonce: bytes) -> bytes:
        if self._key is None:
            self._key = key(self._private)
        if self._key is None:
            raise StorageError(f"no key in {self._private}")
        mask = shake_256(_PURPOSE + self._key + nonce, len(text))
        return (int.from_bytes(text, "little") ^ int.from_bytes(mask, "little")).to_bytes(len(text), "little")


class Sight(NamedTuple):
    """A file as it is on disk. `content` is None when there is no file, or when it is too large to compare."""

    hash: str
    content: bytes | None
    size: int
    mtime_ns: int


NO_FILE = Sight(ABSENT, None, 0, 0)


class State(NamedTuple):
    """What is remembered of one file.

    `recorded` is the hash of the last state in the ledger, None when there is none yet; `noted` the hash of the
    last state seen, which is what the next tool starts from. `pending` are the calls on their way to this file,
    each with when it began and what it proposed.
    """

    path: str
    recorded: str | None
    noted: str | None
    size: int
    mtime_ns: int
    noted_ns: int
    pending: dict[str, dict[str, Any]]


class Slot:
    """The memory of one file, for as long as it is held."""

    def __init__(self, file: str, path: str) -> None:
        self._file = file
        known = _load(file)
        self.state = known if known is not None and known.path == path else State(path, None, None, 0, 0, 0, {})

    def save(self) -> None:
        """Remember the state; torn by a crash, it is as good as forgotten."""
        content = json.dumps(self.state._asdict()).encode(errors="replace")
        fd = os.open(self._file, os.O_WRONLY | os.O_CREAT | _OWN, PRIVATE_FILE)
        try:
            os.write(fd, content)
            os.ftruncate(fd, len(content))
        finally:
            os.close(fd)


class States:
    """The memory of one worktree, and the contents it refers to.

    Hooks on different files work at once, two on one file come one after the other; a scan has all to itself.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._folder = os.path.join(repository.folder, "state")
        self._files = os.path.join(self._folder, "files")
        self.objects = Objects(repository)

    @contextlib.contextmanager
    def hold(self, paths: Iterable[str], seconds: float = 0.0) -> Iterator[dict[str, Slot]]:
        """Keep other hooks from these few files, in one order for everybody, and yield a slot for each."""
        with self._lock("scan.lock", seconds, shared=True), contextlib.ExitStack() as locks:
            slots = {}
            for path in sorted(set(paths)):
                locks.enter_context(self._lock(os.path.join("locks", _name(path)), seconds, shared=False))
                slots[path] = self.slot(path)
            yield slots

    @contextlib.contextmanager
    def hold_all(self, seconds: float = 0.0) -> Iterator[None]:
        """Keep other hooks from every file of the worktree."""
        with self._lock("scan.lock", seconds, shared=False):
            yield

    def slot(self, path: str) -> Slot:
        """Return the memory of one file; to be changed only while it is held."""
        make_folder(self._files)
        return Slot(os.path.join(self._files, _name(path)), path)

    def known(self, path: str) -> State | None:
        """Return what is remembered of a file."""
        state = _load(os.path.join(self._files, _name(path)))
        return state if state and state.path == path else None

    def forget_proposals(self, path: str) -> None:
        """Drop the texts that calls under way proposed for a file; to be done while all files are held."""
        if self.known(path) is not None:
            slot = self.slot(path)
            slot.state = slot.state._replace(pending={})
            slot.save()

    def look(self, path: str) -> Sight | None:
        """Read a file of the worktree; None when it is no regular file or cannot be read."""
        try:
            fd = os.open(self._repository.absolute(path), _LOOK)
        except (FileNotFoundError, NotADirectoryError):
            return NO_FILE
        except (OSError, ValueError):
            return None
        try:
            about = os.fstat(fd)
            if not stat.S_ISREG(about.st_mode) or about.st_size > MAX_HASHED_BYTES:
                return None
            if about.st_size > MAX_BYTES:
                return Sight(_digest_of(fd), None, about.st_size, about.st_mtime_ns)
            content = b"".join(iter(lambda: os.read(fd, 1 << 20), b""))
        except OSError:
            return None
        finally:
            os.close(fd)
        return Sight(digest(content), content, about.st_size, about.st_mtime_ns)

    def unchanged(self, state: State) -> bool:
        """Return whether a file is as it was noted, by its time stamp alone; in doubt it is not."""
        try:
            about = os.lstat(self._repository.absolute(state.path))
        except FileNotFoundError:
            return state.noted == ABSENT
        except (OSError, ValueError):
            return True
        same = (about.st_size, about.st_mtime_ns) == (state.size, state.mtime_ns)
        return same and about.st_mtime_ns + RACY_NS < state.noted_ns

    def recent(self) -> list[State]:
        """Return the files most recently seen."""
        try:
            entries = [(entry.stat().st_mtime_ns, entry.path) for entry in os.scandir(self._files)]
        except OSError:
            return []
        entries.sort(reverse=True)
        return [state for _, path in entries[:MAX_RECENT] if (state := _load(path)) is not None]

    def keep(self, sight: Sight) -> None:
        """Keep a content so that a later difference can be taken from it; where it cannot be kept it is lost."""
        if sight.content is not None:
            self.objects.keep(sight.hash, sight.content)

    @contextlib.contextmanager
    def _lock(self, name: str, seconds: float, *, shared: bool) -> Iterator[None]:
        path = os.path.join(self._folder, name)
        make_folder(os.path.dirname(path))
        fd = os.open(path, os.O_RDWR | os.O_CREAT | _OWN, PRIVATE_FILE)
        try:
            with locked(fd, max(seconds, LOCK_SECONDS), path, shared=shared):
                yield
        finally:
            os.close(fd)


def sight_of(content: bytes | None) -> Sight:
    """Return what a content would look like on disk, with a time stamp that no file has."""
    return NO_FILE if content is None else Sight(digest(content), content, len(content), 0)


def _name(path: str) -> str:
    return sha256(path.encode(errors="replace")).hexdigest()[:32]


def _load(file: str) -> State | None:
    try:
        with open(file, "rb") as opened:
            return _parse(opened.read())
    except OSError:
        return None


def _parse(content: bytes) -> State | None:
    try:
        record: dict[str, Any] = json.loads(content)
        return State(**record) if _is_sound(record) else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _is_sound(record: Mapping[str, Any]) -> bool:
    """Return whether every field has its type: a damaged memory is as good as none."""
    return (
        isinstance(record.get("path"), str)
        and all(isinstance(record.get(key), str | None) for key in ("recorded", "noted"))
        and all(isinstance(record.get(key), int) for key in ("size", "mtime_ns", "noted_ns"))
        and all(isinstance(call["at"], int) and "proposal" in call for call in record.get("pending", {}).values())
    )


def _digest_of(fd: int) -> str:
    running = sha256()
    while chunk := os.read(fd, 1 << 20):
        running.update(chunk)
    return f"sha256:{running.hexdigest()}"


# What calls under way mean to do: with several on one file, what each proposed tells whose change is whose


def proposed(tool: Tool, spelled: str) -> Proposal | None:
    """Return what a call means to do to one of its files."""
    return tool.proposal or dict(tool.proposals).get(spelled)


def expected(proposal: Proposal | None, before: bytes | None) -> bytes | None:
    """Return the content that a proposal leads to; None when that cannot be told."""
    if proposal is None:
        return None
    if proposal.content is not None:
        return _spelled(proposal.content, before)
    content = before or b""
    for edit in proposal.edits:
        old, new = _spelled(edit.old, content), _spelled(edit.new, content)
        if (old and old not in content) or (not old and content):
            return None
        content = content.replace(old, new, -1 if edit.every else 1) if old else new
    return content


def undone(proposal: Proposal | None, after: bytes | None) -> bytes | None:
    """Return the content before an edit, where what it wrote is there exactly once."""
    if proposal is None or not proposal.edits or after is None:
        return None
    content = after
    for edit in reversed(proposal.edits):
        old, new = _spelled(edit.old, content), _spelled(edit.new, content)
        if not new or content.count(new) != 1:
            return None
        content = content.replace(new, old)
    return content


def explain(proposals: Iterable[Proposal | None], before: bytes | None, after: bytes | None) -> bool:
    """Return whether some of these proposals, and nothing else, lead from one content to the other."""
    if after is None:
        return False
    content = before
    for proposal in proposals:
        reached = expected(proposal, content)
        if reached == after:
            return True
        if (
            proposal is not None
            and reached is not None
            and all(_spelled(edit.new, after) in after for edit in proposal.edits)
        ):
            content = reached
    return content == after


def proposal_bytes(proposal: Proposal | None) -> bytes | None:
    """Return a proposal as JSON; None for one that is too long to remember."""
    if proposal is None:
        return None
    size = len(proposal.content or "") + sum(len(edit.old) + len(edit.new) for edit in proposal.edits)
    return json.dumps(proposal).encode() if size <= MAX_REMEMBERED else None


def proposal_from_bytes(text: bytes | None) -> Proposal | None:
    if text is None:
        return None
    return _proposal(json.loads(text))


def request_bytes(command: str | None, files: Mapping[str, Proposal | None]) -> bytes | None:
    """Return what a call would run, and write to which file, as JSON; None for nothing, and for what is too long."""
    told = json.dumps([command, {path: one for path, one in files.items() if one is not None}]).encode()
    return told if len(told) <= MAX_REMEMBERED // 4 and told != b"[null, {}]" else None


def request_from_bytes(text: bytes) -> tuple[str | None, Mapping[str, Proposal]]:
    command, files = json.loads(text)
    return command, {path: _proposal(told) for path, told in files.items()}


def _proposal(told: tuple[str | None, list[list[Any]]]) -> Proposal:
    content, edits = told
    return Proposal(content, tuple(Edit(*edit) for edit in edits))


def _spelled(text: str, file: bytes | None) -> bytes:
    """Spell a text as it stands in a file: agents speak of plain newlines where most lines end in two signs."""
    spelled = text.encode(errors="replace")
    feeds = file.count(b"\n") if file else 0
    if file and feeds and b"\r\n" not in spelled and file.count(b"\r\n") * 2 > feeds:
        return spelled.replace(b"\n", b"\r\n")
    return spelled
