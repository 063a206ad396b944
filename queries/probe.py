"""Start the hook of this very installation as an agent would, in a temporary folder, and break it on purpose.

A hook that cannot be started lets every call through in versions of Claude Code before 2.1.295, and nothing it does
can change that: it has to be known beforehand.
"""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.policy import BLOCK, OBSERVE, SHARED, VARIABLE
from linetrail.ledger.repository import FOLDER, Repository
from linetrail.ledger.store import TAIL
from linetrail.queries import enforcement, settings
from linetrail.queries.health import ERROR, OK, Finding
from linetrail.queries.installation import hook_path

AGENT = "claude-code"
PROBE_SECONDS = 10
REPAIR = "pip install --force-reinstall linetrail"
LETS_THROUGH = "; Claude Code before 2.1.295 would let every call through"


class Trial(NamedTuple):
    """A call: what is sent, what is done to the folder of the ledger before, and whether block mode has to deny it."""

    name: str
    payload: Callable[[str], bytes]
    prepare: Callable[[str], None] = lambda _: None
    denied: bool = True


def check_probe(repository: Repository) -> Iterator[Finding]:
    """Start the hook, and look for the event it must have written."""
    consequence = LETS_THROUGH if enforcement.in_force(repository) == BLOCK else ""
    try:
        hook = hook_path()
    except LinetrailError as error:
        yield Finding("probe", ERROR, str(error) + consequence, error.hint)
        return
    with tempfile.TemporaryDirectory() as folder:
        _set_up(folder, OBSERVE)
        started = time.perf_counter()
        try:
            done = _run(hook, folder, "SessionStart", _payload(folder, "SessionStart", source="startup"))
        except (OSError, subprocess.TimeoutExpired) as error:
            yield Finding("probe", ERROR, f"{hook} does not run: {error}{consequence}", REPAIR)
            return
        milliseconds = (time.perf_counter() - started) * 1000
        written = _wrote(os.path.join(folder, FOLDER, TAIL), b'"session.started"')
    if done.returncode or done.stdout or not written:
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2] or "it wrote nothing"
        yield Finding("probe", ERROR, f"{hook} ended with {done.returncode}: {said}{consequence}", REPAIR)
    else:
        yield Finding("probe", OK, f"{hook} recorded an event in {milliseconds:.0f} ms")
        yield from _break(hook)


def _break(hook: str) -> Iterator[Finding]:
    """Break the hook in ways that a process can still answer: with a denial in block mode, else in silence."""
    wrong = [
        f"{mode} mode, {trial.name}: {said}"
        for mode in (BLOCK, OBSERVE)
        for trial in TRIALS
        if (said := _wrong(hook, trial, mode)) is not None
    ]
    for message in wrong:
        yield Finding("broken on purpose", ERROR, message, REPAIR)
    if not wrong:
        ways = sum(trial.denied for trial in TRIALS)
        message = f"{ways} ways: each call denied in block mode, silence in observe mode"
        yield Finding("broken on purpose", OK, message)


def _wrong(hook: str, trial: Trial, mode: str) -> str | None:
    """Return what the hook did that it must not do; None where all is well."""
    with tempfile.TemporaryDirectory() as folder:
        _set_up(folder, mode)
        trial.prepare(os.path.join(folder, FOLDER))
        try:
            done = _run(hook, folder, settings.GATE, trial.payload(folder))
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"it did not run: {error}"
    if done.returncode:
        return f"it ended with {done.returncode}"
    if mode == BLOCK and trial.denied:
        return None if is_denial(done.stdout) else "the call was let through"
    return "it was not let through in silence" if done.stdout else None


def is_denial(said: bytes) -> bool:
    """Tell whether Claude Code would read this as a denial.

    >>> is_denial(b"")
    False
    """
    try:
        told = json.loads(said)["hookSpecificOutput"]
        return (told["hookEventName"], told["permissionDecision"]) == (settings.GATE, "deny")
    except (ValueError, KeyError, TypeError):
        return False


def _run(hook: str, folder: str, event: str, payload: bytes) -> subprocess.CompletedProcess[bytes]:
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    return subprocess.run(
        [hook, AGENT, "--event", event],
        input=payload,
        cwd=folder,
        env=environment,
        capture_output=True,
        timeout=PROBE_SECONDS,
        check=False,
    )


def _set_up(folder: str, mode: str) -> None:
    os.mkdir(os.path.join(folder, FOLDER))
    with open(os.path.join(folder, FOLDER, SHARED), "w", encoding="utf-8") as file:
        file.write(f"enforce: {mode}\n")


def _payload(folder: str, event: str, **fields: Any) -> bytes:
    return json.dumps({"session_id": "doctor", "cwd": folder, "hook_event_name": event, **fields}).encode()


def _call(folder: str, tool: str) -> bytes:
    given = {"file_path": os.path.join(folder, "file.py"), "content": "1\n"}
    return _payload(folder, settings.GATE, tool_name=tool, tool_use_id="toolu_doctor", tool_input=given)


def _wrote(path: str, text: bytes) -> bool:
    try:
        with open(path, "rb") as file:
            return text in file.read()
    except OSError:
        return False


def _obstruct(folder: str) -> None:
    os.mkdir(os.path.join(folder, TAIL))


TRIALS = (
    Trial("a write without an intent", lambda folder: _call(folder, "Write")),
    Trial("an empty payload", lambda _: b""),
    Trial("a payload that is no JSON", lambda _: b'{"tool_name":'),
    Trial("a ledger that cannot be written", lambda folder: _call(folder, "Write"), _obstruct),
    Trial("a call that only reads", lambda folder: _call(folder, "Read"), denied=False),
)
