"""What one hook remembers for the next: payloads already recorded, a session's model, where a call began.

Small files under ``state/``, all disposable. A payload that arrives twice (an agent that loads two settings
files, a retry) is recorded once: both deliveries get the same time, so the same event ids, and the ledger
knows them. Calls of agents that give them no ids are named here, so that what was asked for finds how it ended.
"""

import contextlib
import json
import os
import time
from typing import Any, NamedTuple

from linetrail.ledger.event.drafts import input_digest
from linetrail.ledger.event.signal import Said, Signal, Tool
from linetrail.ledger.files import PRIVATE_FILE, make_folder, publish
from linetrail.ledger.hashes import sha256
from linetrail.ledger.repository import Repository

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
