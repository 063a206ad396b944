"""Keep in mind that events could not be stored, until one can be that says so.

A disk that is full still has room for an empty file: when it was made says since when, its size, which is a hole, how
often. Where not even that is possible, it lies in the system's folder for temporary files.
"""

import contextlib
import os
import time

from linetrail.ledger.event.event import Event, new_id, rfc3339
from linetrail.ledger.files import PRIVATE_FILE, make_folder
from linetrail.ledger.hashes import sha256
from linetrail.ledger.repository import Repository

_NAME = os.path.join("state", "unstored")
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
_TEMPORARY = ("TMPDIR", "TEMP", "TMP")


def note(repository: Repository) -> None:
    """Note that an event could not be stored."""
    for path in _places(repository):
        with contextlib.suppress(OSError):
            make_folder(os.path.dirname(path))
            fd = os.open(path, _FLAGS, PRIVATE_FILE)
            try:
                began = os.fstat(fd)
                os.ftruncate(fd, began.st_size + 1)
                if began.st_size:
                    os.utime(fd, ns=(began.st_mtime_ns, began.st_mtime_ns))
            finally:
                os.close(fd)
            return


def incident(repository: Repository) -> Event | None:
    """Return what is to be recorded of events that could not be stored; None where all could be."""
    found = [about for path in _places(repository) if (about := _look(path)) is not None]
    if not found:
        return None
    now = time.time_ns()
    since = min(about.st_mtime_ns for about in found)
    data = {"since": rfc3339(since), "events": sum(max(about.st_size, 1) for about in found)}
    return Event(new_id(now), rfc3339(now), "ledger.missed", None, None, "unknown", None, None, data)


def forget(repository: Repository) -> None:
    """Forget what is recorded by now."""
    for path in _places(repository):
        with contextlib.suppress(OSError):
            os.unlink(path)


def _places(repository: Repository) -> tuple[str, str]:
    elsewhere = next(filter(None, map(os.environ.get, _TEMPORARY)), "/tmp")  # noqa: S108  what lies there is a count
    name = sha256(os.fsencode(repository.folder)).hexdigest()[:16]
    user = os.geteuid() if hasattr(os, "geteuid") else 0
    return os.path.join(repository.folder, _NAME), os.path.join(elsewhere, f"linetrail-unstored-{user}-{name}")


def _look(path: str) -> os.stat_result | None:
    """Return what a note of ours says; nothing of a file that somebody else put there."""
    try:
        about = os.lstat(path)
    except OSError:
        return None
    ours = not hasattr(os, "geteuid") or about.st_uid == os.geteuid()
    return about if ours and os.path.isfile(path) and not os.path.islink(path) else None
