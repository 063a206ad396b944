"""What one hook leaves for the next: payloads already recorded, a session's model, where a call began, unfinished work.

Small files under ``state/``. A payload that arrives twice (an agent that loads two settings
files, a retry) is recorded once: both deliveries get the same time, so the same event ids, and the ledger
knows them. Calls of agents that give them no ids are named here, so that what was asked for finds how it ended.

What a hook takes on is kept, redacted, under ``state/unfinished/`` until all of it is recorded, in a file that it holds
by a lock that ends with its process. What is found there and held by nobody was left by a hook that was killed, or had
no time: the next hook or command records it and works out the rest. All the other files are disposable.
"""

import contextlib
import json
import os
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from linetrail.ledger.errors import EventError, LinetrailError
from linetrail.ledger.event.drafts import MAX_COMMAND, input_digest
from linetrail.ledger.event.event import GENESIS, Event, from_line, to_line
from linetrail.ledger.event.signal import Result, Said, Signal, Tool
from linetrail.ledger.files import PRIVATE_FILE, make_folder, publish, sha256, try_lock
from linetrail.ledger.redact.redactor import Redactor
from linetrail.ledger.repository import UNFINISHED, Repository

# Without an id of its own a payload counts as the same one for this long.
ECHO_NS = 2_000_000_000
# So long does a delivery wait for one at the same time, which records and answers for both.
TURN_SECONDS, TURN_NS = 0.4, 1_000_000_000
# How often it looks whether that one is done: no lock is held, since whoever is killed must keep nobody waiting.
LOOK_AGAIN_SECONDS = 0.002
# When the turns of sessions ended: what they reserved is free again.
TURNS = "turns"
# What others recorded since, beside the turns of a session (news.py).
NEWS = ".news"
FORGET_NS = 24 * 3600 * 1_000_000_000
_DONE = b" done\n"
# Of equal calls on their way, those that are remembered.
MAX_OPEN = 20
# How often a rest is tried that takes more time than a hook has; a command has as much as it needs.
MAX_TRIES = 2
_SUFFIX = ".json"


class Delivery(NamedTuple):
    """One payload that arrived: the time all its events carry, the key of their ids, and whether it is an echo.

    `first` tells that its events cannot be in the ledger already; `said` is what an echo's first delivery answered.
    """

    now_ns: int
    key: str
    path: str
    echo: bool
    first: bool
    said: Said = Said()

    @classmethod
    def of_past(cls, now_ns: int, key: str) -> "Delivery":
        """Return a delivery whose hook is gone, so that its events have the ids that it would have given them."""
        return cls(now_ns, key, "", echo=False, first=False)

    def done(self, said: Said) -> None:
        """Remember that the events are in the ledger, and what the agent was told."""
        told = b"%d %d\n%b%b" % (said.exit_code, len(said.stdout), said.stdout, said.stderr)
        with contextlib.suppress(OSError), open(self.path, "wb" if self.echo else "ab", opener=_own) as file:
            file.write((b"%d" % self.now_ns if self.echo else b"") + _DONE + told)

    def again(self, now_ns: int) -> "Delivery":
        """Return this echo as one whose events are new."""
        key = sha256(f"{self.key}\0{now_ns}".encode()).hexdigest()
        return self._replace(now_ns=now_ns, key=key, first=True)


def receive(repository: Repository, key: str, now_ns: int, *, unique: bool) -> Delivery:
    """Note a payload by its key; `unique` payloads carry an id and are never sent twice on purpose."""
    path = _noted(repository, key)
    make_folder(os.path.dirname(path))
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    except FileExistsError:
        return _again(path, key, now_ns, unique=unique)
    with os.fdopen(fd, "wb") as file:
        file.write(b"%d" % now_ns)
    return Delivery(now_ns, key, path, echo=False, first=True)


def identified(repository: Repository, signal: Signal, delivery: Delivery) -> Signal:
    """Return the signal with an id for its call; one that has an id, and one of no call, as it is.

    The name is derived from where the call was first heard of; what is on its way is kept by session and by what it
    does. Of equal calls the youngest ends first: an older one may have been refused, and never ends.
    """
    tool = signal.tool
    if tool is None or tool.call_id is not None or signal.kind not in ("pre_tool", "post_tool", "tool_failure"):
        return signal
    about = signal.session_id or "", signal.agent_id or "", _what(tool)
    known = recall(repository, "open", *about)
    told, last = known.get("calls"), known.get("last")
    waiting = told if isinstance(told, list) else []
    is_start = signal.kind == "pre_tool"
    # Behind its end, the same call may start again at once, and is no echo.
    if isinstance(last, list) and len(last) == 2 and last[0] != is_start:
        forget(repository, str(last[1]))
    call_id = f"derived-{sha256(f'{delivery.key}{delivery.now_ns}'.encode()).hexdigest()[:24]}"
    if is_start:
        others = [call for call in waiting if call != call_id]
        rest = [*others[1 - MAX_OPEN :], call_id]
    else:
        rest, call_id = (waiting[:-1], waiting[-1]) if waiting else ([], call_id)
    remember(repository, "open", *about, calls=rest, last=[is_start, delivery.key])
    return signal._replace(tool=tool._replace(call_id=call_id))


def forget(repository: Repository, key: str) -> None:
    """Let a payload with this key be a new one."""
    with contextlib.suppress(OSError, ValueError):
        os.unlink(_noted(repository, os.path.basename(key)))


def forget_old(repository: Repository, now_ns: int) -> None:
    """Delete what no later delivery will ask for; called where a moment does not matter."""
    for folder in ("deliveries", "calls", "judged", "open", "seen", "turns", "unfinished"):
        with contextlib.suppress(OSError):
            for entry in os.scandir(os.path.join(repository.folder, "state", folder)):
                if entry.stat().st_mtime_ns + FORGET_NS < now_ns:
                    os.unlink(entry.path)


def remember(repository: Repository, kind: str, *key: str, **facts: Any) -> None:
    """Keep a few facts under a key, beside others of their kind: one of `STATES`."""
    publish(_path(repository, kind, key), json.dumps(facts).encode(), durable=False)


def recall(repository: Repository, kind: str, *key: str) -> dict[str, Any]:
    """Return the facts kept under a key; nothing when they are gone."""
    try:
        with open(_path(repository, kind, key), "rb") as file:
            facts = json.load(file)
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


def inbox(repository: Repository, session_id: str) -> str:
    """Return where news for a session lie."""
    return _path(repository, TURNS, (session_id,)) + NEWS


def _again(path: str, key: str, now_ns: int, *, unique: bool) -> Delivery:
    """Read what the first delivery noted; a moment later an equal payload without an id is a new one.

    Two hooks that an agent starts at once would else both find the call unjudged, and unreported.
    """
    end = time.monotonic() + TURN_SECONDS
    while True:
        text = b""
        with contextlib.suppress(OSError), open(path, "rb") as file:
            text = file.read()
        first, _, rest = text.partition(b" ")
        then_ns = int(first) if first.isdigit() else now_ns
        if rest or abs(now_ns - then_ns) > TURN_NS or time.monotonic() > end:
            break
        time.sleep(LOOK_AGAIN_SECONDS)
    if not unique and now_ns - then_ns > ECHO_NS:
        with contextlib.suppress(OSError), open(path, "wb", opener=_own) as file:
            file.write(b"%d" % now_ns)
        return Delivery(now_ns, key, path, echo=False, first=True)
    return Delivery(then_ns, key, path, echo=bool(rest), first=False, said=_said(rest[len(_DONE) - 1 :]))


def _what(tool: Tool) -> str:
    """Say what a call does in words that are the same before and after it."""
    what = tool.command if tool.operation == "shell" else sorted(path for path, _ in tool.targets)
    return json.dumps([tool.operation, what or input_digest(tool)])


def _said(told: bytes) -> Said:
    """Read what `done` has written; nothing where it was cut short."""
    head, _, rest = told.partition(b"\n")
    status, _, size = head.partition(b" ")
    if not (status.isdigit() and size.isdigit()):
        return Said()
    return Said(rest[: int(size)], rest[int(size) :], int(status))


def _own(path: str, flags: int) -> int:
    """Open a file of ours for writing, and none that a link leads to."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), PRIVATE_FILE)


def _noted(repository: Repository, key: str) -> str:
    return os.path.join(repository.folder, "state", "deliveries", key[:40])


def _path(repository: Repository, kind: str, key: tuple[str, ...]) -> str:
    name = sha256("\0".join(key).encode(errors="replace")).hexdigest()[:40]
    return os.path.join(repository.folder, "state", kind, name)


# What a hook has taken on


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
