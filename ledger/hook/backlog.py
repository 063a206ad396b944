"""What a hook has taken on, kept redacted under ``state/unfinished/`` until all of it is recorded.

A hook writes here first, and holds its file by a lock that ends with its process. What is found there and held by
nobody was left by a hook that was killed, or had no time: the next hook or command records it and works out the rest.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from linetrail.ledger.errors import EventError, LinetrailError
from linetrail.ledger.event.drafts import MAX_COMMAND
from linetrail.ledger.event.event import GENESIS, Event, from_line, to_line
from linetrail.ledger.event.signal import Result, Signal, Tool
from linetrail.ledger.files import PRIVATE_FILE, make_folder, try_lock
from linetrail.ledger.redact.redactor import Redactor
from linetrail.ledger.repository import UNFINISHED, Repository

# How often a rest is tried that takes more time than a hook has; a command has as much as it needs.
MAX_TRIES = 2
_SUFFIX = ".json"


class Job(NamedTuple):
    """What was taken on: a signal without its contents, when it came, and the event that is recorded whatever happens.

    `key` names the events that follow from it; `fallback` is the mode where no settings state one.
    """

    agent: str
    signal: Signal
    now_ns: int
    key: str
    fallback: str
    event: Event
    tries: int = 0


class Held:
    """A job on the disk, which this process holds."""

    def __init__(self, path: str, fd: int) -> None:
        self._path, self._fd = path, fd

    def keep(self, job: Job) -> None:
        """Write down how far it has come."""
        content = _to_bytes(job)
        os.pwrite(self._fd, content, 0)
        os.ftruncate(self._fd, len(content))

    def done(self) -> None:
        """Forget the job: all of it is recorded."""
        with contextlib.suppress(OSError):
            os.unlink(self._path)


@contextlib.contextmanager
def taken_on(repository: Repository, job: Job, redactor: Redactor) -> Iterator[Held | None]:
    """Keep a job, redacted, for as long as it is worked on; None where it cannot be kept."""
    tool = job.signal.tool
    if tool is not None and tool.command is not None:
        tool = tool._replace(command=redactor.cut(tool.command, MAX_COMMAND))
        job = job._replace(signal=job.signal._replace(tool=tool))
    try:
        path, fd = _made(os.path.join(repository.folder, UNFINISHED), job)
    except (OSError, LinetrailError):
        yield None
        return
    try:
        yield Held(path, fd)
    finally:
        os.close(fd)


def left_behind(repository: Repository) -> Iterator[tuple[Held, Job]]:
    """Yield the jobs that nobody works on, the oldest first, each held while the caller has it."""
    folder = os.path.join(repository.folder, UNFINISHED)
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(_SUFFIX))
    except OSError:
        return
    for name in names:
        path = os.path.join(folder, name)
        with contextlib.suppress(OSError):
            fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0))
            try:
                yield from _taken_over(path, fd)
            finally:
                os.close(fd)


def _made(folder: str, job: Job) -> tuple[str, int]:
    """Make the file of a job under another name first: nobody may find it before it is held."""
    make_folder(folder)
    path = os.path.join(folder, f"{job.event.id}-{os.getpid()}{_SUFFIX}")
    fd = os.open(f"{path}.new", os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        try_lock(fd)
        os.write(fd, _to_bytes(job))
        os.rename(f"{path}.new", path)
    except BaseException:
        os.close(fd)
        raise
    return path, fd


def _taken_over(path: str, fd: int) -> Iterator[tuple[Held, Job]]:
    """Hold a job whose owner is gone, and read it; what cannot be read is nothing that was finished, and goes."""
    if not try_lock(fd) or not os.path.samestat(os.fstat(fd), os.stat(path)):
        return  # it is being worked on, or done by now
    held = Held(path, fd)
    try:
        job = _from_bytes(os.pread(fd, os.fstat(fd).st_size, 0))
    except (ValueError, TypeError, KeyError, EventError):
        held.done()
        return
    yield held, job


def _to_bytes(job: Job) -> bytes:
    """Write a job as two lines: what was taken on, without the contents of files, and the event."""
    signal = job.signal
    tool = signal.tool and signal.tool._replace(input={}, proposal=None, proposals=())
    result = signal.result and signal.result._replace(output=None, error=None, original=None)
    about = {
        "agent": job.agent,
        "signal": signal._replace(text=None, tool=None, result=None)._asdict(),
        "tool": tool and tool._asdict(),
        "result": result and result._asdict(),
        **{name: getattr(job, name) for name in ("now_ns", "key", "fallback", "tries")},
    }
    return json.dumps(about).encode(errors="replace") + b"\n" + to_line(job.event, 0, GENESIS)


def _from_bytes(content: bytes) -> Job:
    first, _, line = content.partition(b"\n")
    about = json.loads(first)
    signal = Signal(**_frozen(about.pop("signal")))
    tool, result = about.pop("tool"), about.pop("result")
    signal = signal._replace(
        tool=tool and Tool(**_frozen(tool) | {"input": {}}), result=result and Result(**_frozen(result))
    )
    return Job(signal=signal, event=from_line(line)._replace(seq=None, prev=None), **about)


def _frozen(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: _tuple(value) for name, value in fields.items()}


def _tuple(value: Any) -> Any:
    return tuple(map(_tuple, value)) if isinstance(value, list) else value
