"""The few operations on files that must be right: lock, whole write, durable write, atomic replace, hash.

Everything that reaches the disk for good goes through here, so that a fault can be injected in one place. Small JSON
files under ``state/`` are changed by several processes: one lock per folder, one file for each name. A file is read,
changed and replaced while its folder is locked, so no process overwrites what another has just noted. The lock lies
beside the folder: files may be deleted at any time, and whoever waits still waits for the same lock.

Contents go by their hashes, made wherever that is quickest. Of short texts CPython's own is four times as fast as
OpenSSL's, of long ones OpenSSL's is fourteen times as fast; but to load OpenSSL takes longer than all that a hook
hashes.
"""

import contextlib
import errno
import json
import os
import stat
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from linetrail.ledger.errors import LockTimeoutError, StorageError
from linetrail.ledger.repository import Repository

if TYPE_CHECKING:
    from hashlib import _Hash
    from hashlib import sha256 as _own
else:
    try:
        if sys.version_info >= (3, 12):
            from _sha2 import sha256 as _own
        else:
            from _sha256 import sha256 as _own
    except ImportError:
        from hashlib import sha256 as _own

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
# After this long, a time stamp of the file system is sure to differ from the next.
SETTLED_NS = 50_000_000
LOCK_SECONDS = 0.4
# A state file of ours is a few hundred bytes; nobody has to read what somebody else put in its place.
_MAX_STATE_BYTES = 256 * 1024
_LOOK = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
StateFile = dict[str, Any]
# size, time of the last change of the content, time of the last change of anything, inode
Stamp = tuple[int, int, int, int]
short_sha256 = _own
# From here on OpenSSL's is faster where it is loaded, and from there on it is worth being loaded.
SHORT_BYTES, LONG_BYTES = 256, 1 << 18


class DamagedStateError(StorageError):
    """A state file is there, and cannot be read."""


class StateFolder:
    """The state files of one kind: `breaker`, `approvals`."""

    def __init__(self, repository: Repository, kind: str) -> None:
        self.folder = os.path.join(repository.folder, "state", kind)

    @contextlib.contextmanager
    def held(self, seconds: float = LOCK_SECONDS) -> Iterator[None]:
        """Keep every other process from these state files; raise when one does not let go, or the disk refuses."""
        path = f"{self.folder}.lock"
        with locked_path(path, seconds, path):
            yield

    def path(self, name: str) -> str:
        """Return where the state file of this name lies."""
        return os.path.join(self.folder, f"{name}.json")

    def read(self, name: str) -> StateFile | None:
        """Return a state file; None when there is none."""
        try:
            fd = os.open(self.path(name), _LOOK)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DamagedStateError(f"cannot read {self.path(name)}: {error.strerror}") from error
        with contextlib.suppress(OSError, ValueError, RecursionError), open(fd, "rb") as file:
            state = json.loads(file.read(_MAX_STATE_BYTES))
            if isinstance(state, dict):
                return state
        raise DamagedStateError(f"{self.path(name)} is no state file")

    def write(self, name: str, state: StateFile, *, durable: bool = False) -> None:
        """Replace a state file; only while the folder is held."""
        try:
            publish(self.path(name), json.dumps(state).encode(), durable=durable)
        except OSError as error:
            raise StorageError(f"cannot write {self.path(name)}: {error.strerror}") from error

    def drop(self, name: str) -> None:
        """Take a state file away; only while the folder is held."""
        try:
            os.unlink(self.path(name))
        except FileNotFoundError:
            return
        except OSError as error:
            raise StorageError(f"cannot delete {self.path(name)}: {error.strerror}") from error

    def names(self) -> list[str]:
        try:
            found = os.listdir(self.folder)
        except OSError:
            return []
        return sorted(name.removesuffix(".json") for name in found if name.endswith(".json"))


class NotAFileError(OSError):
    """A folder, a pipe or a device stands where a file is expected."""


def name_of(key: str) -> str:
    """Return the name of the state file for a key that may hold any characters."""
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def make_folder(path: str, *, durable: bool = False) -> None:
    """Create a folder for its owner alone, and those above it that are missing just so."""
    parent = os.path.dirname(path)
    if parent and not os.path.isdir(parent):
        make_folder(parent, durable=durable)
    try:
        os.mkdir(path, PRIVATE_FOLDER)
    except FileExistsError:
        if not os.path.isdir(path):
            raise
        return
    if durable:
        # Or a file in it would be as lost as the folder, however well the file itself was synced.
        try:
            sync_folder(parent or os.curdir)
        except OSError:
            with contextlib.suppress(OSError):
                os.rmdir(path)
            raise


@contextlib.contextmanager
def locked(fd: int, seconds: float, name: str, *, shared: bool = False) -> Iterator[None]:
    """Hold the lock of an open file, alone or with others; it is let go at the end, or when the process dies."""
    end = time.monotonic() + seconds
    pause = 0.0005
    while not try_lock(fd, shared=shared):
        if time.monotonic() >= end:
            raise LockTimeoutError(f"{name} is locked by another process for more than {seconds:g} s")
        time.sleep(pause)
        # Whoever asks too often spends the processor time of those that it waits for, and its own.
        pause = min(pause * 1.5, 0.02)
    try:
        yield
    finally:
        _unlock(fd)


@contextlib.contextmanager
def locked_path(path: str, seconds: float, name: str, *, inherited: bool = False) -> Iterator[None]:
    """Hold the lock of a file that is there for nothing else, and made where it is missing.

    Where it is inherited, a git that is started meanwhile holds it, too, should it outlive this process.
    """
    try:
        make_folder(os.path.dirname(path))
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0), PRIVATE_FILE)
        os.set_inheritable(fd, inherited)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error
    try:
        with locked(fd, seconds, name):
            yield
    finally:
        os.close(fd)


def write_whole(fd: int, content: bytes, size: int, name: str) -> None:
    """Append in one write, or leave the file at `size` bytes as it was."""
    try:
        written = os.write(fd, content)
        reason = f"{written} of {len(content)} bytes written"
    except OSError as error:
        written, reason = -1, error.strerror or str(error)
    if written != len(content):
        os.ftruncate(fd, size)
        with contextlib.suppress(OSError):
            # Or a power cut might leave what is written next in between bytes of this.
            sync(fd)
        raise StorageError(f"cannot write {name}: {reason}; nothing was added")


def sync(fd: int) -> None:
    """Return when the content of an open file is on the disk."""
    if sys.platform == "darwin":
        fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
    elif sys.platform == "win32":
        os.fsync(fd)
    else:
        os.fdatasync(fd)


def sync_folder(path: str) -> None:
    """Return when the names in a folder are on the disk."""
    if sys.platform == "win32":
        return
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def publish(path: str, content: bytes, *, durable: bool, mode: int = PRIVATE_FILE, aside: str | None = None) -> None:
    """Put a whole file in place: readers see the old content or the new one, never a part.

    It is made in the folder `aside`, on the same disk, where what a crash leaves behind must not lie beside it.
    """
    folder = os.path.dirname(path)
    make_folder(folder, durable=durable)
    made = aside_name(path, aside)
    fd = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    try:
        try:
            write_whole(fd, content, 0, path)
            if durable:
                sync(fd)
        finally:
            os.close(fd)
        if mode != PRIVATE_FILE:
            os.chmod(made, mode)
        os.replace(made, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(made)
        raise
    if durable:
        sync_folder(folder)


def open_file(path: str) -> BinaryIO:
    """Open a file to read it; a pipe or a device, on which one would wait for ever, is refused as an OSError."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise NotAFileError(errno.EINVAL, "Not a regular file", path)
    return open(fd, "rb")


def stamp(status: os.stat_result) -> Stamp:
    """Return what differs when a file was changed; its owner can set the second of the four, and no other."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def is_settled(of: Stamp, now_ns: int) -> bool:
    """Return whether a later change has another stamp: the clock of a file system stands still for a moment."""
    return max(of[1:3]) < now_ns - SETTLED_NS


def aside_name(path: str, folder: str | None = None) -> str:
    """Return a name that nobody else has, to make a file under before it gets its own."""
    if folder is None:
        return f"{path}.{os.getpid()}.{time.monotonic_ns()}"
    make_folder(folder)
    return os.path.join(folder, f"{os.path.basename(path)}.{os.getpid()}.{time.monotonic_ns()}")


def try_lock(fd: int, *, shared: bool = False) -> bool:
    """Take the lock of an open file if nobody has it."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def digest(content: bytes) -> str:
    """Name a content by its hash: ``sha256:`` and 64 hex digits."""
    return f"sha256:{sha256(content).hexdigest()}"


def git_blob(content: bytes) -> str:
    """Return the object id that git (with SHA-1) gives this content when no filter touches it."""
    return sha1(b"blob %d\0" % len(content) + content).hexdigest()


def is_binary(content: bytes) -> bool:
    """Judge as git does: a NUL among the first 8,000 bytes."""
    return b"\0" in content[:8000]


def sha256(content: bytes = b"") -> "_Hash":
    if len(content) >= SHORT_BYTES and (len(content) >= LONG_BYTES or "hashlib" in sys.modules):
        import hashlib

        return hashlib.sha256(content)
    return short_sha256(content)


def sha1(content: bytes) -> "_Hash":
    """Return the SHA-1 hash of a content; only git's names of files are made with it."""
    try:
        from _sha1 import sha1 as hash_of  # type: ignore[import-not-found]  # no stub tells of it
    except ImportError:
        from hashlib import sha1 as hash_of
    found: _Hash = hash_of(content, usedforsecurity=False)
    return found


def shake_256(content: bytes, length: int) -> bytes:
    """Return so many bytes of the SHAKE256 hash of a content; only what is kept of files is sealed with it."""
    try:
        from _sha3 import shake_256 as hash_of  # type: ignore[import-not-found]  # no stub tells of it
    except ImportError:
        from hashlib import shake_256 as hash_of
    found: bytes = hash_of(content).digest(length)
    return found


def _unlock(fd: int) -> None:
    if sys.platform == "win32":
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)
    else:
        fcntl.flock(fd, fcntl.LOCK_UN)
