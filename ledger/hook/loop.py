"""`linetrail-hook AGENT`: what an agent runs at each of its events.

The loop: payload -> signal -> events -> ledger -> answer. This is the one place that swallows errors, since no fault
of ours may stop an agent in observe mode: whatever goes wrong, the exit status is 0, nothing is printed where
silence means "go on", and what could be saved is in the ledger or in its spool. In block mode the same faults end in a
denial of what writes. The agent's own protocol says how: most read JSON, some an exit status, and some have to be
answered even where there is nothing to say. Standard library only, and little of it: an agent waits for this process
at every tool call.
"""

import contextlib
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.adapters import AGENTS, Adapter, adapter
from linetrail.ledger.adapters.fields import first_text
from linetrail.ledger.adapters.hosts import BORROWERS, sender
from linetrail.ledger.errors import (
    LinetrailError,
    LockTimeoutError,
    NotARepositoryError,
    PayloadError,
    StorageError,
    UnsafeFolderError,
)
from linetrail.ledger.event.drafts import input_digest, text_digest
from linetrail.ledger.event.event import Event, new_id, rfc3339
from linetrail.ledger.event.signal import META, READING, Answer, Said, Signal, Tool
from linetrail.ledger.gate.policy import BLOCK, MODES, OBSERVE, told_mode
from linetrail.ledger.hook.deadline import DeadlineError, deadline
from linetrail.ledger.hook.deliveries import Delivery, receive
from linetrail.ledger.hook.entry import PROJECT_VARIABLES
from linetrail.ledger.hook.payload import decode, read
from linetrail.ledger.hook.recorder import record
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.redact.fingerprints import Redactor, private_folder
from linetrail.ledger.repository import Repository, find, require_own

# Our own deadline, well inside the agent's, so that what happens at the end of it is ours to say.
DEADLINE_SECONDS = 0.9
# Where payloads name their events.
EVENT_KEYS = ("hook_event_name", "hookEventName", "agent_action_name", "hookName", "hook", "event")
# A fault of ours stops no call of these.
HARMLESS = frozenset({META, READING})
USAGE = "usage: linetrail-hook AGENT [--event EVENT] [--enforce MODE] < payload.json"


class Arguments(NamedTuple):
    """What the command line says. `payload` is what Codex's `notify` puts there, in the place of stdin."""

    agent: str
    event: str | None
    fallback: str
    payload: bytes | None


def main() -> int:
    """Handle one event and return the exit status: 0, but for agents that know no other denial."""
    # What was spent before, while the interpreter and these modules were loaded, is part of what the agent waits for.
    began_ns = time.monotonic_ns() - time.process_time_ns()
    given = _arguments(sys.argv[1:])
    try:
        if given.agent not in AGENTS:
            known = ", ".join(AGENTS)
            print(f"linetrail-hook: {USAGE}\nagents: {known}", file=sys.stderr)
            return 0
        with deadline(DEADLINE_SECONDS):
            payload = read(sys.stdin.fileno()) if given.payload is None else given.payload
            said = handle(
                given.agent,
                payload,
                event=given.event,
                cwd=_folder(),
                now=time.time_ns,
                fallback=given.fallback,
                began_ns=began_ns,
            )
    except BaseException as error:  # noqa: BLE001  the hook must not stop the agent, unless it was told to
        if os.environ.get("LINETRAIL_DEBUG") == "1":
            print(f"linetrail-hook: {type(error).__name__}: {error}", file=sys.stderr)
        said = _last_word(given, error)
    _say(said)
    return said.exit_code


def handle(
    agent: str,
    payload: bytes,
    *,
    event: str | None,
    cwd: str,
    now: Callable[[], int],
    fallback: str = OBSERVE,
    began_ns: int | None = None,
) -> Said:
    """Record one payload in the ledger of the repository it came from, and return what the agent reads.

    Without a ledger there, do nothing; where `fallback` is to block, a ledger that is gone lets nothing be written.
    `began_ns` is when the agent began to wait, on the monotonic clock.
    """
    now_ns = now()
    heard = _heard(agent, payload, event)
    module, signal, fields = heard.module, heard.signal, heard.fields
    call = _Call(module, heard.event, signal and signal.tool, fallback)
    try:
        repository = _repository(_folders(signal, fields, cwd), fallback)
    except UnsafeFolderError as error:
        return call.refusal("LEDGER_UNWRITABLE", str(error)) if call.is_closed(None) else call.silence()
    if repository is None:
        gone = "there is no ledger around here: go back to the project, or let a person run `linetrail init` there"
        return call.refusal("LEDGER_UNWRITABLE", gone) if call.is_closed(None) else call.silence()
    if signal is None:
        closed = call.is_closed(repository)
        _reject(repository, payload, heard.unread, now_ns, "UNREADABLE" if closed else None)
        return call.refusal("UNREADABLE", heard.unread) if closed else call.silence()
    # In one turn an agent may run the same command again.
    unique = bool(signal.tool.call_id if signal.tool else signal.prompt_id)
    try:
        delivery = receive(repository, _key(module.NAME, signal, fields, payload), now_ns, unique=unique)
        if delivery.echo and not (signal.kind == "pre_tool" and signal.tool):
            return delivery.said
        said = call.recorded(signal, repository, delivery, now_ns, began_ns)
    except Exception as error:  # noqa: BLE001  a fault of ours leaves a trace, too
        known = isinstance(error, LinetrailError | DeadlineError)
        reason = str(error) if known else f"{type(error).__name__}: {error}"
        code = _code_of(error) if call.is_closed(repository) else None
        _reject(repository, payload, reason, now_ns, code)
        return call.refusal(code, reason) if code else call.silence()
    return said


class _Heard(NamedTuple):
    """What arrived: from which agent, at which event, and what it says; of none, why it could not be `unread`."""

    module: Adapter
    event: str
    signal: Signal | None
    fields: Mapping[str, Any]
    unread: str = ""


def _heard(agent: str, payload: bytes, event: str | None) -> _Heard:
    """Read a payload in the words of the agent that really sent it; PayloadError for an agent that is not known."""
    module = adapter(agent)
    if module is None:
        raise PayloadError(f"no adapter for {agent}")
    fields: dict[str, Any] = {}
    told = event
    try:
        fields = decode(payload)
        host = sender(agent, fields)
        if host != agent:
            module, event = adapter(host) or module, first_text(fields, "hook_event_name", "hookEventName") or event
        told = event or first_text(fields, *EVENT_KEYS)
        signal = module.read(fields, _gated(module, told) or event)
    except PayloadError as error:
        told = told or module.GATED[0]
        return _Heard(module, _gated(module, told) or told, None, fields, str(error))
    if signal.kind == "other":
        signal = signal._replace(fields=tuple(fields))
    return _Heard(module, signal.name, signal, fields)


def _gated(module: Adapter, told: str | None) -> str | None:
    """Return the event before a call that this is, in whatever case it was written; None for any other."""
    return next((name for name in module.GATED if told and name.lower() == told.lower()), None)


def _key(agent: str, signal: Signal, fields: Mapping[str, Any], payload: bytes) -> str:
    """Name what arrived, so that what arrives twice is recorded once.

    Agents that run the hooks of others, too, may tell one event in two ways: what it means counts then.
    """
    if agent not in BORROWERS:
        # The command line names the event, too, where a plugin calls us, and not always where a project does.
        name = "" if fields.get("hook_event_name") == signal.name else signal.name
        return hashlib.sha256(f"{agent}\0{name}\0".encode() + payload).hexdigest()
    tool = signal.tool
    about = [agent, signal.kind, signal.session_id, signal.agent_id, signal.prompt_id, signal.text]
    if signal.kind == "other":
        about.append(signal.name)
    if tool is not None:
        about += [tool.call_id, tool.operation, repr(tool.targets), tool.command, repr(tool.proposal)]
        about += [] if tool.targets or tool.command else [input_digest(tool)]
        # Without an id, calls of tools that do nothing to files differ by name, which may be told in two ways, too.
        about += [tool.name] if tool.operation == "other" and tool.call_id is None else []
    return text_digest(repr(about)).removeprefix("sha256:")


def _reply(module: Adapter, signal: Signal, answers: Sequence[Answer]) -> Said:
    """Return the first verdict, else all facts together."""
    verdict = next((answer for answer in answers if answer.verdict is not None), None)
    facts = "\n".join(answer.context for answer in answers if answer.context)
    return module.reply(signal.name, verdict or Answer(context=facts or None))


class _Call(NamedTuple):
    """What has to be answered, whatever happens; `fallback` is the mode where no settings state one."""

    module: Adapter
    event: str
    tool: Tool | None
    fallback: str

    def is_closed(self, repository: Repository | None) -> bool:
        """Tell whether a fault of ours has to end in a denial: it is a call that may write, and refusals count here."""
        harmless = self.tool is not None and self.tool.kind in HARMLESS
        mode = told_mode(repository, self.fallback, self.module.NAME)
        return self.event in self.module.GATED and not harmless and mode == BLOCK

    def recorded(
        self, signal: Signal, repository: Repository, first: Delivery, now_ns: int, began_ns: int | None
    ) -> Said:
        """Record a signal, and answer it; of one that came before, only a judgement that is another one by now."""
        if signal.tool and signal.tool.call_id is None:
            from linetrail.ledger.hook.calls import identified  # most agents name their calls

            signal = identified(repository, signal, first)
        dialog = self.module.can_ask(signal)
        delivery, given = first, None
        if first.echo:
            # What was refused may be allowed by now, and the other way round: each time it is asked, a call is judged.
            delivery, given = first.again(now_ns), lambda answers: _reply(self.module, signal, answers) == first.said
        answers = record(
            self.module.NAME,
            signal,
            repository,
            delivery,
            dialog=dialog,
            fallback=self.fallback,
            given=given,
            began_ns=began_ns,
        )
        if answers is None:
            return first.said
        said = _reply(self.module, signal, answers)
        delivery.done(said)
        return said

    def silence(self) -> Said:
        """Return what lets the agent go on; for most that is nothing."""
        return self.module.reply(self.event, Answer())

    def refusal(self, code: str, reason: str) -> Said:
        """Return a denial in the words of the agent."""
        from linetrail.ledger.gate.refusals import Refusal, message  # most calls are not refused

        refusal = Refusal(code, f"the call could not be judged: {reason}", "a tool call that linetrail could not judge")
        return self.module.reply(self.event, Answer("deny", message(refusal)))


def _code_of(error: Exception) -> str:
    if isinstance(error, DeadlineError | LockTimeoutError):
        return "TIMEOUT"
    return "LEDGER_UNWRITABLE" if isinstance(error, OSError | StorageError) else "UNREADABLE"


def _last_word(given: Arguments, error: BaseException) -> Said:
    """Answer where nothing went as it should: with a denial where that was asked for, else in silence.

    What cannot even be done here is raised, and left to the last line of defence in entry.py.
    """
    module = adapter(given.agent)
    if module is None:
        return Said()
    call = _Call(module, given.event or module.GATED[0], None, given.fallback)
    repository = _repository(_folders(None, {}, _folder()), given.fallback)
    closed = call.is_closed(repository)
    if repository is not None:
        with contextlib.suppress(Exception):  # whatever else is wrong, the agent gets its answer
            reason = f"nothing was read: {type(error).__name__}"
            _reject(repository, given.payload or b"", reason, time.time_ns(), "TIMEOUT" if closed else None)
    return call.refusal("TIMEOUT", type(error).__name__) if closed else call.silence()


def _folder() -> str:
    """Return where we were started; where somebody deleted that, the agent's project."""
    try:
        return os.getcwd()
    except OSError:
        return next(filter(None, map(os.environ.get, PROJECT_VARIABLES)), os.sep)


def _say(said: Said) -> None:
    """Write the answer, whole; nobody may be there to read it."""
    for stream, left in ((sys.stdout, said.stdout), (sys.stderr, said.stderr)):
        written = 0
        with contextlib.suppress(OSError):
            while written < len(left):
                written += os.write(stream.fileno(), left[written:])


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


def _folders(signal: Signal | None, fields: Mapping[str, Any], cwd: str) -> Iterator[str]:
    """Yield the folders that a payload may be about: its own, then ours, then the agent's project."""
    told = _nearest(signal) if signal else (fields.get("cwd"),)
    for start in (*told, cwd, *map(os.environ.get, PROJECT_VARIABLES)):
        if isinstance(start, str) and "\0" not in start and os.path.isdir(start):
            yield start


def _nearest(signal: Signal) -> Sequence[str | None]:
    """Return the folders an agent works in, of several roots the one with the file that is named first."""
    folders = (signal.cwd, *signal.roots)
    named = signal.tool.targets[0][0] if signal.roots and signal.tool and signal.tool.targets else ""
    return sorted(folders, key=lambda folder: not (folder and named.startswith(os.path.join(folder, ""))))


def _repository(folders: Iterable[str], fallback: str) -> Repository | None:
    """Return the repository around the first folder that is in one; None where linetrail is not set up.

    The others count, too: an agent that went elsewhere can still write in the project that the hook was installed in.
    Where one of these, or one around them, is stricter than the nearest, it counts: an agent could have made the
    nearest itself.
    """
    found = [repository for start in dict.fromkeys(folders) for repository in _with_ledgers(start)]
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


def _arguments(arguments: Sequence[str]) -> Arguments:
    """Read the command line; what is odd about it is left out, since there is nobody to tell."""
    last = arguments[-1] if arguments else ""
    payload = os.fsencode(last) if last.startswith("{") else None
    given = dict(zip(arguments[1::2], arguments[2::2], strict=False))
    fallback = given.get("--enforce", OBSERVE)
    return Arguments(
        arguments[0] if arguments else "",
        given.get("--event"),
        fallback if fallback in MODES else OBSERVE,
        payload,
    )
