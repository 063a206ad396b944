"""Start the hook of this very installation as agents would, in a temporary folder, and break it on purpose.

A hook that cannot be started lets every call through in most agents, and nothing it does can change that: it has to be
known beforehand. What can still answer has to refuse in block mode, each agent in its own words, and to keep quiet
while it only observes.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from linetrail.ledger.adapters.catalogue import CATALOGUE, FIRST
from linetrail.ledger.agents import ONLY_TOLD
from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.gate.policy import SHARED, VARIABLE
from linetrail.ledger.gate.settings import BLOCK, OBSERVE
from linetrail.ledger.log.store import TAIL
from linetrail.ledger.repository import FOLDER, Repository
from linetrail.queries.doctor import calls
from linetrail.queries.doctor.finding import ERROR, OK, Finding
from linetrail.queries.doctor.hooks import hooked, sites
from linetrail.queries.setup import enforcement
from linetrail.queries.setup.installation import hook_path

PROBE_SECONDS = 10
REPAIR = "pip install --force-reinstall linetrail"
# Starts the hook with one of its own modules gone: what answers then is the last line of defence.
_WITHOUT_CODE = (
    "import sys; sys.modules['linetrail.ledger.hook.loop'] = None; sys.argv[0] = 'linetrail-hook'; "
    "from linetrail.ledger.hook.entry import run; run()"
)
_WORKERS = 4


class Trial(NamedTuple):
    """One way to break a call: the payload, what is done to the ledger before, and whether block mode has to deny it.

    `payload` is None for a pipe that never says anything, and returns None for an agent that does not ask. `anonymous`:
    nothing can tell which of the agents that share an entry asks.
    """

    name: str
    payload: Callable[[str, str], bytes | None] | None
    prepare: Callable[[str], None] = lambda _: None
    denied: bool = True
    anonymous: bool = False
    codeless: bool = False


def check_probe(repository: Repository) -> Iterator[Finding]:
    """Start the hook for the agents that call it here, and look for the event it must have written."""
    yield from probe(repository, hooked(sites(repository)) or [FIRST])


def check_every_agent(repository: Repository) -> Iterator[Finding]:
    """Start the hook as every known agent would."""
    yield from probe(repository, list(CATALOGUE))


def probe(repository: Repository, agents: Sequence[str]) -> Iterator[Finding]:
    """Start the hook as these agents would; break it only where it runs at all."""
    consequence = CATALOGUE[FIRST].unstarted if enforcement.in_force(repository) == BLOCK else ""
    try:
        hook = hook_path()
    except LinetrailError as error:
        yield Finding("probe", ERROR, str(error) + consequence, error.hint)
        return
    with tempfile.TemporaryDirectory() as folder:
        _set_up(folder, OBSERVE)
        started = time.perf_counter()
        try:
            said = _run([hook, FIRST, "--event", "SessionStart"], folder, _greeting(folder))
        except (OSError, subprocess.TimeoutExpired) as error:
            yield Finding("probe", ERROR, f"{hook} does not run: {error}{consequence}", REPAIR)
            return
        milliseconds = (time.perf_counter() - started) * 1000
        written = _wrote(os.path.join(folder, FOLDER, TAIL), b'"session.started"')
    if said.status or said.stdout or not written:
        last = said.stderr.decode(errors="replace").strip().rpartition("\n")[2] or "it wrote nothing"
        yield Finding("probe", ERROR, f"{hook} ended with {said.status}: {last}{consequence}", REPAIR)
    else:
        yield Finding("probe", OK, f"{hook} recorded an event in {milliseconds:.0f} ms")
        yield from _break(hook, agents)


def _break(hook: str, agents: Sequence[str]) -> Iterator[Finding]:
    """Break the hook in ways that a process can still answer: with a denial in block mode, else in silence."""
    tasks = [(agent, mode, trial) for agent in agents for mode in (BLOCK, OBSERVE) for trial in TRIALS]
    with ThreadPoolExecutor(_WORKERS) as pool:
        answers = list(pool.map(lambda task: _wrong(hook, *task), tasks))
    for agent in agents:
        found = [(task, wrong) for task, wrong in zip(tasks, answers, strict=True) if task[0] == agent]
        for (_, mode, trial), wrong in found:
            if wrong is not None:
                message = f"{agent}: {mode} mode, {trial.name}: {wrong}"
                yield Finding("broken on purpose", ERROR, message, REPAIR)
        if all(wrong is None for _, wrong in found):
            yield Finding("broken on purpose", OK, f"{agent}: {_ways(agent)}, silence in observe mode")


def _ways(agent: str) -> str:
    ways, lender = sum(trial.denied for trial in TRIALS), CATALOGUE[agent].called
    lent = sum(trial.anonymous for trial in TRIALS) if lender else 0
    shared = f" ({lent} in the words of {lender}, whose entries it shares)" if lent else ""
    return f"{ways} ways: each call denied in block mode{shared}"


def _wrong(hook: str, agent: str, mode: str, trial: Trial) -> str | None:
    """Return what the hook did that it must not do; None where all is well."""
    row = CATALOGUE[agent]
    event = row.gates[0]
    with tempfile.TemporaryDirectory() as folder:
        _set_up(folder, mode)
        trial.prepare(os.path.join(folder, FOLDER))
        payload = trial.payload(agent, folder) if trial.payload else None
        if trial.payload and payload is None:
            return None
        start = [sys.executable, "-c", _WITHOUT_CODE] if trial.codeless else [hook]
        try:
            said = _run([*start, row.argument, "--event", event], folder, payload)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"it did not run: {error}"
    meant = calls.meaning(row.argument if trial.anonymous else agent, event, said)
    wanted = calls.DENIED if mode == BLOCK and trial.denied else calls.LET_THROUGH
    if meant == wanted:
        return None
    return {calls.DENIED: "it was not let through", calls.LET_THROUGH: "the call was let through"}.get(meant, meant)


def _run(command: Sequence[str], folder: str, payload: bytes | None) -> calls.Said:
    """Run a hook with a payload, or with a pipe that stays open and empty, and return what it said."""
    # Somebody may ask out of an agent, whose project is not the one tried here.
    told = (VARIABLE, "_PROJECT_DIR")
    environment = {name: value for name, value in os.environ.items() if not name.endswith(told)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            if payload is None:
                process.wait(PROBE_SECONDS)
            stdout, stderr = process.communicate(payload, PROBE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return calls.Said(stdout, stderr, process.returncode)


def _greeting(folder: str) -> bytes:
    told = {"session_id": calls.SESSION, "cwd": folder, "hook_event_name": "SessionStart", "source": "startup"}
    return json.dumps(told).encode()


def _set_up(folder: str, mode: str) -> None:
    """Make a repository in this mode, where a refusal counts even for an agent whose run it ends."""
    os.mkdir(os.path.join(folder, FOLDER))
    agents = ", ".join(f"{agent}: {BLOCK}" for agent in sorted(ONLY_TOLD))
    with open(os.path.join(folder, FOLDER, SHARED), "w", encoding="utf-8") as file:
        file.write(f"enforce: {mode}\nagents: {{{agents}}}\n")


def _wrote(path: str, text: bytes) -> bool:
    try:
        with open(path, "rb") as file:
            return text in file.read()
    except OSError:
        return False


def _obstruct(folder: str) -> None:
    os.mkdir(os.path.join(folder, TAIL))


TRIALS = (
    Trial("a write without an intent", calls.write),
    Trial("an empty payload", lambda *_: b"", anonymous=True),
    Trial("a payload that is no JSON", lambda *_: b'{"tool_name":', anonymous=True),
    Trial("a pipe that says nothing", None, anonymous=True),
    Trial("a ledger that cannot be written", calls.write, _obstruct),
    Trial("a hook that cannot load its code", calls.write, anonymous=True, codeless=True),
    Trial("a call that only reads", calls.read, denied=False),
)
