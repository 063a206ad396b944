"""`linetrail-hook AGENT`: what an agent runs at each of its events.

The loop: payload -> signal -> events -> ledger. This is the one place that swallows errors, since no fault of
ours may stop an agent in observe mode: whatever goes wrong, the exit status is 0, nothing is printed where
silence means "go on", and what could be saved is in the ledger or in its spool. Standard library only, and
little of it: an agent waits for this process at every tool call.
"""

import contextlib
import hashlib
import json
import os
import select
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from linetrail.ledger.adapters import AGENTS, adapter
from linetrail.ledger.deadline import deadline
from linetrail.ledger.deliveries import receive
from linetrail.ledger.errors import LinetrailError, NotARepositoryError, PayloadError
from linetrail.ledger.event import Event, new_id, rfc3339
from linetrail.ledger.fingerprints import Redactor, private_folder
from linetrail.ledger.recorder import record
from linetrail.ledger.repository import Repository, find, require_own
from linetrail.ledger.store import Ledger

# Our own deadline, well inside the agent's, so that what happens at the end of it is ours to say.
DEADLINE_SECONDS = 0.9
# Where a pipe is never closed, what has arrived by then is taken as the payload.
STDIN_SECONDS = 0.5
MAX_PAYLOAD_BYTES = 16 * 1024 * 1024
USAGE = "usage: linetrail-hook AGENT [--event EVENT] < payload.json"


def main() -> int:
    """Handle one event; the exit status is 0 whatever happens."""
    try:
        agent, event = _arguments(sys.argv[1:])
        if agent not in AGENTS:
            known = ", ".join(AGENTS)
            print(f"linetrail-hook: {USAGE}\nagents: {known}", file=sys.stderr)
            return 0
        with deadline(DEADLINE_SECONDS):
            handle(agent, _read_payload(sys.stdin.fileno()), event=event, cwd=os.getcwd(), now=time.time_ns)
    except BaseException as error:  # noqa: BLE001  the hook must not stop the agent
        if os.environ.get("LINETRAIL_DEBUG") == "1":
            print(f"linetrail-hook: {type(error).__name__}: {error}", file=sys.stderr)
    return 0


def handle(agent: str, payload: bytes, *, event: str | None, cwd: str, now: Callable[[], int]) -> None:
    """Record one payload in the ledger of the repository it came from; without a ledger there, do nothing."""
    module = adapter(agent)
    now_ns = now()
    if module is None:
        raise PayloadError(f"no adapter for {agent}")
    fields: dict[str, Any] = {}
    try:
        fields = decode(payload)
        signal = module.read(fields, event)
    except PayloadError as error:
        repository = _repository(fields, cwd)
        if repository is not None:
            _reject(repository, payload, str(error), now_ns)
        return
    repository = _repository(fields, cwd)
    if repository is None:
        return
    unique = bool(signal.prompt_id or (signal.tool and signal.tool.call_id))
    key = hashlib.sha256(f"{agent}\0{event or ''}\0".encode() + payload).hexdigest()
    try:
        delivery = receive(repository, key, now_ns, unique=unique)
        if delivery.echo:
            return
        record(module.NAME, signal, repository, delivery)
        delivery.done()
    except Exception as error:  # noqa: BLE001  a fault of ours leaves a trace, too
        _reject(repository, payload, f"{type(error).__name__}: {error}", now_ns)


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


def _reject(repository: Repository, payload: bytes, reason: str, now_ns: int) -> None:
    """Leave a diagnostic: the payload's hash and size, and why. In the spool when the ledger itself is the trouble."""
    reason = Redactor(private_folder(repository)).excerpt(reason)
    data = {"reason": reason, "sha256": f"sha256:{hashlib.sha256(payload).hexdigest()}", "size": len(payload)}
    event = Event(new_id(now_ns), rfc3339(now_ns), "payload.rejected", None, None, "unknown", None, None, data)
    ledger = Ledger(repository, lock_seconds=0.1)
    try:
        ledger.append([event])
    except LinetrailError:
        with contextlib.suppress(LinetrailError):
            ledger.spool([event])


def _repository(fields: dict[str, Any], cwd: str) -> Repository | None:
    """Return the repository of the payload's own directory, else of ours; None where linetrail is not set up."""
    told = fields.get("cwd")
    for start in (told, cwd):
        if isinstance(start, str) and "\0" not in start and os.path.isdir(start):
            with contextlib.suppress(NotARepositoryError):
                repository = _with_ledger(find(start))
                return repository and require_own(repository)
    return None


def _with_ledger(repository: Repository) -> Repository | None:
    """Climb out of a submodule or nested clone that has no ledger of its own to the repository around it that has."""
    while not repository.has_ledger():
        try:
            repository = find(os.path.dirname(repository.root))
        except NotARepositoryError:
            return None
    return repository


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


def _arguments(arguments: Sequence[str]) -> tuple[str, str | None]:
    agent = arguments[0] if arguments else ""
    event = arguments[2] if len(arguments) > 2 and arguments[1] == "--event" else None
    return agent, event
