"""`linetrail-hook AGENT`: what an agent runs at each of its events.

The loop: payload -> signal -> events -> ledger -> answer. This is the one place that swallows errors, since no fault
of ours may stop an agent in observe mode: whatever goes wrong, the exit status is 0, nothing is printed where
silence means "go on", and what could be saved is in the ledger or in its spool. In block mode the same faults end in a
denial of what writes. Standard library only, and little of it: an agent waits for this process at every tool call.
"""

import contextlib
import hashlib
import json
import os
import select
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.adapters import AGENTS, Adapter, adapter
from linetrail.ledger.deadline import DeadlineError, deadline
from linetrail.ledger.deliveries import receive
from linetrail.ledger.errors import (
    LinetrailError,
    LockTimeoutError,
    NotARepositoryError,
    PayloadError,
    StorageError,
    UnsafeFolderError,
)
from linetrail.ledger.event import Event, new_id, rfc3339
from linetrail.ledger.fingerprints import Redactor, private_folder
from linetrail.ledger.policy import BLOCK, MODES, OBSERVE, told_mode
from linetrail.ledger.recorder import record
from linetrail.ledger.repository import Repository, find, require_own
from linetrail.ledger.signal import META, READING, Answer, Signal, Tool
from linetrail.ledger.store import Ledger

# Our own deadline, well inside the agent's, so that what happens at the end of it is ours to say.
DEADLINE_SECONDS = 0.9
# Where a pipe is never closed, what has arrived by then is taken as the payload.
STDIN_SECONDS = 0.5
# Set by Claude Code, and agents that are like it, for the hooks they start.
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"
MAX_PAYLOAD_BYTES = 16 * 1024 * 1024
# A fault of ours stops no call of these.
HARMLESS = frozenset({META, READING})
USAGE = "usage: linetrail-hook AGENT [--event EVENT] [--enforce MODE] < payload.json"


def main() -> int:
    """Handle one event; the exit status is 0 whatever happens."""
    agent, event, fallback = _arguments(sys.argv[1:])
    try:
        if agent not in AGENTS:
            known = ", ".join(AGENTS)
            print(f"linetrail-hook: {USAGE}\nagents: {known}", file=sys.stderr)
            return 0
        with deadline(DEADLINE_SECONDS):
            payload = _read_payload(sys.stdin.fileno())
            said = handle(agent, payload, event=event, cwd=_folder(), now=time.time_ns, fallback=fallback)
    except BaseException as error:  # noqa: BLE001  the hook must not stop the agent, unless it was told to
        if os.environ.get("LINETRAIL_DEBUG") == "1":
            print(f"linetrail-hook: {type(error).__name__}: {error}", file=sys.stderr)
        said = _last_word(agent, event, fallback, error)
    _say(said)
    return 0


def handle(
    agent: str, payload: bytes, *, event: str | None, cwd: str, now: Callable[[], int], fallback: str = OBSERVE
) -> bytes:
    """Record one payload in the ledger of the repository it came from, and return the bytes that the agent reads.

    Without a ledger there, do nothing; where `fallback` is to block, a ledger that is gone lets nothing be written.
    """
    module = adapter(agent)
    now_ns = now()
    if module is None:
        raise PayloadError(f"no adapter for {agent}")
    fields: dict[str, Any] = {}
    signal, unread = None, None
    try:
        fields = decode(payload)
        signal = module.read(fields, event)
    except PayloadError as error:
        unread = str(error)
    name = signal.name if signal else event or str(fields.get("hook_event_name") or module.GATED)
    call = _Call(module, name, signal and signal.tool, fallback)
    try:
        repository = _repository(fields, cwd, fallback)
    except UnsafeFolderError as error:
        return call.refusal("LEDGER_UNWRITABLE", str(error)) if call.is_closed(None) else b""
    if repository is None:
        gone = "there is no ledger around here: go back to the project, or let a person run `linetrail init` there"
        return call.refusal("LEDGER_UNWRITABLE", gone) if call.is_closed(None) else b""
    if signal is None:
        closed = call.is_closed(repository)
        _reject(repository, payload, unread or "", now_ns, "UNREADABLE" if closed else None)
        return call.refusal("UNREADABLE", unread or "") if closed else b""
    unique = bool(signal.prompt_id or (signal.tool and signal.tool.call_id))
    key = hashlib.sha256(f"{agent}\0{event or ''}\0".encode() + payload).hexdigest()
    try:
        delivery = receive(repository, key, now_ns, unique=unique)
        if delivery.echo and not (signal.kind == "pre_tool" and signal.tool):
            return delivery.said
        # What was refused may be allowed by now, and the other way round: a call is judged as often as it is asked for.
        first, given = delivery, None
        if delivery.echo:
            delivery, given = first.again(now_ns), lambda answers: _reply(module, signal, answers) == first.said
        dialog = module.can_ask(signal)
        answers = record(module.NAME, signal, repository, delivery, dialog=dialog, fallback=fallback, given=given)
        said = first.said if answers is None else _reply(module, signal, answers)
        if answers is not None:
            delivery.done(said)
    except Exception as error:  # noqa: BLE001  a fault of ours leaves a trace, too
        known = isinstance(error, LinetrailError | DeadlineError)
        reason = str(error) if known else f"{type(error).__name__}: {error}"
        code = _code_of(error) if call.is_closed(repository) else None
        _reject(repository, payload, reason, now_ns, code)
        return call.refusal(code, reason) if code else b""
    return said


def _reply(module: Adapter, signal: Signal, answers: Sequence[Answer]) -> bytes:
    """Return the first verdict, else all facts together."""
    verdict = next((answer for answer in answers if answer.verdict is not None), None)
    facts = "\n".join(answer.context for answer in answers if answer.context)
    return module.reply(signal.name, verdict or Answer(context=facts or None))


class _Call(NamedTuple):
    """What has to be answered when something goes wrong; `fallback` is the mode where no settings state one."""

    module: Adapter
    event: str
    tool: Tool | None
    fallback: str

    def is_closed(self, repository: Repository | None) -> bool:
        """Tell whether a fault of ours has to end in a denial: it is a call that may write, and refusals count here."""
        harmless = self.tool is not None and self.tool.kind in HARMLESS
        return self.event == self.module.GATED and not harmless and told_mode(repository, self.fallback) == BLOCK

    def refusal(self, code: str, reason: str) -> bytes:
        """Return a denial in the words of the agent."""
        from linetrail.ledger.refusals import Refusal, message  # most calls are not refused

        refusal = Refusal(code, f"the call could not be judged: {reason}", "a tool call that linetrail could not judge")
        return self.module.reply(self.event, Answer("deny", message(refusal)))


def _code_of(error: Exception) -> str:
    if isinstance(error, DeadlineError | LockTimeoutError):
        return "TIMEOUT"
    return "LEDGER_UNWRITABLE" if isinstance(error, OSError | StorageError) else "UNREADABLE"


def _last_word(agent: str, event: str | None, fallback: str, error: BaseException) -> bytes:
    """Answer where nothing went as it should: with a denial where that was asked for, else in silence.

    What cannot even be done here is raised, and left to the last line of defence in entry.py.
    """
    module = adapter(agent)
    if module is None:
        return b""
    call = _Call(module, event or module.GATED, None, fallback)
    closed = call.is_closed(_repository({}, _folder(), fallback))
    return call.refusal("TIMEOUT", type(error).__name__) if closed else b""


def _folder() -> str:
    """Return where we were started; where somebody deleted that, the agent's project."""
    try:
        return os.getcwd()
    except OSError:
        return os.environ.get(PROJECT_VARIABLE, os.sep)


def _say(said: bytes) -> None:
    with contextlib.suppress(OSError):
        while said:
            said = said[os.write(sys.stdout.fileno(), said) :]


def decode(payload: bytes) -> dict[str, Any]:
    """Read a payload as agents really send them: byte order marks, UTF-16, raw control characters in strings."""
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise PayloadError(f"payload longer than {MAX_PAYLOAD_BYTES} bytes")
    try:
        text = payload.decode(json.detect_encoding(payload)).removeprefix("\ufeff")
        fields = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"payload is not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise PayloadError(f"payload is a JSON {type(fields).__name__}, not an object")
    return dict(_whole_characters(fields)) if "\\ud" in text.lower() else fields


def _whole_characters(value: Any) -> Any:
    """Replace halves of characters, which an agent leaves where it cuts a text short."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, dict):
        return {_whole_characters(key): _whole_characters(item) for key, item in value.items()}
    return [_whole_characters(item) for item in value] if isinstance(value, list) else value


def _reject(repository: Repository, payload: bytes, reason: str, now_ns: int, denied: str | None) -> None:
    """Leave a diagnostic: the payload's hash and size, why, and the code of the denial if the agent is given one.

    In the spool when the ledger itself is the trouble.
    """
    reason = Redactor(private_folder(repository)).excerpt(reason)
    data = {"reason": reason, "sha256": f"sha256:{hashlib.sha256(payload).hexdigest()}", "size": len(payload)}
    events = [_diagnostic(now_ns, "payload.rejected", data)]
    if denied is not None:
        verdict = {"verdict": "deny", "code": denied, "reason": reason, "source": "linetrail"}
        events.append(_diagnostic(now_ns, "gate.decided", verdict | {"mode": BLOCK, "enforced": True}))
    ledger = Ledger(repository, lock_seconds=0.1)
    try:
        ledger.append(events)
    except LinetrailError:
        with contextlib.suppress(LinetrailError):
            ledger.spool(events)


def _diagnostic(now_ns: int, name: str, data: dict[str, Any]) -> Event:
    return Event(new_id(now_ns), rfc3339(now_ns), name, None, None, "unknown", None, None, data)


def _repository(fields: dict[str, Any], cwd: str, fallback: str) -> Repository | None:
    """Return the repository of the payload's own directory, else of ours; None where linetrail is not set up.

    Else of the project that the hook was installed in: an agent that went elsewhere can still write there. Where one of
    these, or one around them, is stricter than the nearest, it counts: an agent could have made the nearest itself.
    """
    found: list[Repository] = []
    for start in (fields.get("cwd"), cwd, os.environ.get(PROJECT_VARIABLE)):
        if isinstance(start, str) and "\0" not in start and os.path.isdir(start):
            found += _with_ledgers(start)
    if not found:
        return None
    chosen = max(found, key=lambda repository: MODES.index(told_mode(repository, fallback)))
    # A linked worktree has its own root, and is as strict as the main one by itself.
    return require_own(found[0] if chosen.common_dir and chosen.common_dir == found[0].common_dir else chosen)


def _with_ledgers(start: str) -> Iterator[Repository]:
    """Yield the repositories around a folder that have ledgers, the nearest first."""
    with contextlib.suppress(NotARepositoryError):
        while True:
            repository = find(start)
            if repository.has_ledger():
                yield repository
            start = os.path.dirname(repository.root)
            if start == repository.root:
                return


def _read_payload(fd: int) -> bytes:
    end = time.monotonic() + STDIN_SECONDS
    chunks: list[bytes] = []
    size = 0
    while size <= MAX_PAYLOAD_BYTES and (left := end - time.monotonic()) > 0:
        if not select.select([fd], [], [], left)[0]:
            break
        chunk = os.read(fd, 1 << 20)
        if not chunk:
            break
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def _arguments(arguments: Sequence[str]) -> tuple[str, str | None, str]:
    """Return the agent, the event where it is named, and the mode that holds where no settings state one."""
    given = dict(zip(arguments[1::2], arguments[2::2], strict=False))
    fallback = given.get("--enforce", OBSERVE)
    return arguments[0] if arguments else "", given.get("--event"), fallback if fallback in MODES else OBSERVE
