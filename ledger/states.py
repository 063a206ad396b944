"""What each file looked like when a hook last saw it, and the contents that differences are taken from.

Everything here is a memory that may be deleted at any time: a file that is not remembered is compared with
the commit it came from, or its past is said to be unknown. One small file per path, locked while a hook works
on it, so that two hooks on the same file come one after the other and two on different files do not wait.
"""

import contextlib
import hashlib
import json
import os
import stat
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from linetrail.ledger.files import PRIVATE_FILE, locked, make_folder, publish
from linetrail.ledger.mutation import MAX_BYTES, digest
from linetrail.ledger.repository import Repository

LOCK_SECONDS = 0.4
# A file beyond this is not even hashed: its writes are in the ledger as tool calls alone.
MAX_HASHED_BYTES = 256 * 1024 * 1024
# A write this soon after we looked may leave the same time stamp.
RACY_NS = 50_000_000
# How many remembered files a scan looks at, the most recently seen first.
MAX_RECENT = 256
ABSENT = ""


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
    each with the hash that it is expected to leave (None: cannot be told).
    """

    path: str
    recorded: str | None
    noted: str | None
    size: int
    mtime_ns: int
    noted_ns: int
    pending: dict[str, str | None]


class Slot:
    """The memory of one file, locked."""

    def __init__(self, fd: int, path: str) -> None:
        self._fd = fd
        self.state = _load(fd, path) or State(path, None, None, 0, 0, 0, {})

    def save(self) -> None:
        """Remember the state; torn by a crash, it is as good as forgotten."""
        content = json.dumps(self.state._asdict()).encode(errors="replace")
        os.lseek(self._fd, 0, os.SEEK_SET)
        os.write(self._fd, content)
        os.ftruncate(self._fd, len(content))


class States:
    """The memory of one worktree, and the contents it refers to."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._files = os.path.join(repository.folder, "state", "files")
        self._objects = os.path.join(repository.folder, "objects")

    @contextlib.contextmanager
    def hold(self, paths: Iterable[str]) -> Iterator[dict[str, Slot]]:
        """Lock the memory of these files, in one order for everybody, and yield a slot for each."""
        make_folder(self._files)
        with contextlib.ExitStack() as stack:
            slots = {}
            for path in sorted(set(paths)):
                fd = os.open(self._file(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
                stack.callback(os.close, fd)
                stack.enter_context(locked(fd, LOCK_SECONDS, path))
                slots[path] = Slot(fd, path)
            yield slots

    def look(self, path: str) -> Sight | None:
        """Read a file of the worktree; None when it is no regular file or cannot be read."""
        try:
            fd = os.open(self._repository.absolute(path), os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
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
            content = _read_all(fd)
        except OSError:
            return None
        finally:
            os.close(fd)
        return Sight(digest(content), content, about.st_size, about.st_mtime_ns)

    def unchanged(self, state: State) -> bool:
        """Tell from the time stamp alone whether a file is as it was noted; in doubt it is not."""
        try:
            about = os.stat(self._repository.absolute(state.path))
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
        return [state for _, path in entries[:MAX_RECENT] if (state := _peek(path)) is not None]

    def keep(self, sight: Sight) -> None:
        """Keep a content so that a later difference can be taken from it."""
        if sight.content is None:
            return
        path = self._object(sight.hash)
        if not os.path.exists(path):
            publish(path, zlib.compress(sight.content, 1), durable=False)

    def content(self, name: str) -> bytes | None:
        """Return a kept content by its hash; None when it was pruned or is not what its name says."""
        try:
            with open(self._object(name), "rb") as file:
                content = zlib.decompress(file.read())
        except (OSError, zlib.error):
            return None
        return content if digest(content) == name else None

    def _file(self, path: str) -> str:
        return os.path.join(self._files, hashlib.sha256(path.encode(errors="replace")).hexdigest()[:32])

    def _object(self, name: str) -> str:
        hexadecimal = name.removeprefix("sha256:")
        return os.path.join(self._objects, hexadecimal[:2], hexadecimal[2:])


def _load(fd: int, path: str) -> State | None:
    state = _parse(_read_all(fd))
    return state if state is not None and state.path == path else None


def _peek(path: str) -> State | None:
    try:
        with open(path, "rb") as file:
            return _parse(file.read())
    except OSError:
        return None


def _parse(content: bytes) -> State | None:
    try:
        record: dict[str, Any] = json.loads(content)
        return State(**record)
    except (ValueError, TypeError):
        return None


def _read_all(fd: int) -> bytes:
    return b"".join(iter(lambda: os.read(fd, 1 << 20), b""))


def _digest_of(fd: int) -> str:
    running = hashlib.sha256()
    while chunk := os.read(fd, 1 << 20):
        running.update(chunk)
    return f"sha256:{running.hexdigest()}"
