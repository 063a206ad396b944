"""`linetrail-hook AGENT`: what an agent runs at each of its events.

The loop: read → recognise → redact → gather → decide → record → answer. Values are handed on; what is read is on the
disk, redacted, before anything is worked out of it, and an agent is answered once all is in the ledger. This is the one
place that swallows errors, since no fault of ours may stop an agent in observe mode: whatever goes wrong, the exit
status is 0, and nothing is printed where silence means "go on". In block mode the same faults end in a denial of what
writes. The agent's own protocol says how: most read JSON, some an exit status, and some have to be answered even where
there is nothing to say. Standard library only, and little of it: an agent waits for this process at every tool call.
"""

import contextlib
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from typing import Any, NamedTuple

from linetrail.ledger.adapters.adapter import Adapter, adapter
from linetrail.ledger.agents import AGENTS, PROJECT_VARIABLES
from linetrail.ledger.errors import (
    EventError,
    FutureLedgerError,
    IntegrityError,
    LinetrailError,
    LockTimeoutError,
    StorageError,
    UnsafeFolderError,
)
from linetrail.ledger.event.event import Event, new_id, rfc3339
from linetrail.ledger.event.signal import META, READING, Answer, Said, Signal, Tool
from linetrail.ledger.files import sha256
from linetrail.ledger.gate.policy import told_mode
from linetrail.ledger.gate.settings import BLOCK, MODES, OBSERVE
from linetrail.ledger.hook.deadline import NO_LIMITS, DeadlineError, Limits, within
from linetrail.ledger.hook.deliveries import MAX_TRIES, Delivery, Job, identified, left_behind, receive, taken_on
from linetrail.ledger.hook.payload import folders, identity, place, read, recognise
from linetrail.ledger.hook.recorder import Recorder, Work, situated
from linetrail.ledger.hook.situation import Later, Seen, Situation
from linetrail.ledger.log.store import SPOOLED, Ledger, forget_missed, missed, note_missed
from linetrail.ledger.redact.redactor import Redactor, private_folder
from linetrail.ledger.repository import Repository

# What a hook may spend, and how long it tries, well inside the agent's own deadline: what happens then is ours to say.
PROCESSOR_SECONDS, LEAST_SECONDS, PATIENCE_SECONDS = 0.9, 0.5, 2.5
# Looked at twice. Only a fault of ours takes as long to read, or a machine that lets nobody else run for seconds.
READING_SECONDS = 12.0
# Where a call is refused that was not judged in time: a busy core and a lock of others are no fault of the call, and an
# agent is told to wait longer (setup/entries.py).
GATE_PATIENCE_SECONDS = 25.0
# How long it waits for the ledger; what it has to say then waits in the spool.
LOCK_SECONDS, SHORT_LOCK_SECONDS = 1.0, 0.4
# What no payload is to blame for.
_OF_TIME = (DeadlineError, LockTimeoutError)
# A fault of ours stops no call of these.
HARMLESS = frozenset({META, READING})
USAGE = "usage: linetrail-hook AGENT [--event EVENT] [--enforce MODE] < payload.json"


class Arguments(NamedTuple):
    """What the command line says. `payload` is what Codex's `notify` puts there, in the place of stdin."""

    agent: str
    event: str | None
    fallback: str
    payload: bytes | None

    @property
    def is_gate(self) -> bool:
        """Whether `init` wrote this command for calls that are stopped, so that the agent waits for long."""
        module = adapter(self.agent)
        return self.fallback == BLOCK and module is not None and self.event in module.GATED


def main() -> int:
    """Handle one event and return the exit status: 0, but for agents that know no other denial."""
    # What was spent before, while the interpreter and these modules were loaded, is part of what the agent waits for.
    spent = time.process_time()
    began_ns = time.monotonic_ns() - int(spent * 1e9)
    given = _arguments(sys.argv[1:])
    try:
        if given.agent not in AGENTS:
            known = ", ".join(AGENTS)
            print(f"linetrail-hook: {USAGE}\nagents: {known}", file=sys.stderr)
            return 0
        patience = GATE_PATIENCE_SECONDS if given.is_gate else PATIENCE_SECONDS
        # A payload is not to blame for what loading took.
        limits = Limits(max(PROCESSOR_SECONDS, spent + LEAST_SECONDS), time.monotonic() + patience)
        payload = _read() if given.payload is None else given.payload
        said = handle(
            given.agent,
            payload,
            event=given.event,
            cwd=_folder(),
            now=time.time_ns,
            fallback=given.fallback,
            began_ns=began_ns,
            limits=limits,
            after_session=_start_aftermath,
        )
    except BaseException as error:  # noqa: BLE001  the hook must not stop the agent, unless it was told to
        if os.environ.get("LINETRAIL_DEBUG") == "1":
            print(f"linetrail-hook: {type(error).__name__}: {error}", file=sys.stderr)
        said = _last_word(given, error)
    _say(said)
    return said.exit_code


def _read() -> bytes:
    """Return what the agent has handed over, however late we come to that: what is not read is lost.

    Reading has a limit of its own. Whoever was kept from a core beyond all limits looks once more.
    """
    chunks: list[bytes] = []
    with contextlib.suppress(DeadlineError), within(Limits(clock=time.monotonic() + READING_SECONDS)):
        return read(sys.stdin.fileno(), chunks)
    with within(Limits(clock=time.monotonic() + READING_SECONDS)):
        return read(sys.stdin.fileno(), chunks)


def handle(
    agent: str,
    payload: bytes,
    *,
    event: str | None,
    cwd: str,
    now: Callable[[], int],
    fallback: str = OBSERVE,
    began_ns: int | None = None,
    limits: Limits = NO_LIMITS,
    after_session: Callable[[Repository], object] | None = None,
) -> Said:
    """Record one payload in the ledger of the repository it came from, and return what the agent reads.

    Without a ledger there, do nothing; where `fallback` is to block, a ledger that is gone lets nothing be written.
    `began_ns` is when the agent began to wait, on the monotonic clock. `after_session` is called once a session ended,
    where the settings do not forbid it.
    """
    now_ns = now()
    with within(limits.of_processor):
        heard = recognise(agent, payload, event)
    signal = heard.signal
    call = _Call(heard.module, heard.event, signal and signal.tool, fallback)
    try:
        repository = place(folders(signal, heard.fields, cwd), fallback)
    except UnsafeFolderError as error:
        return call.refusal("LEDGER_UNWRITABLE", str(error)) if call.is_closed(None) else call.silence()
    if repository is None:
        gone = "there is no ledger around here: go back to the project, or let a person run `linetrail init` there"
        return call.refusal("LEDGER_UNWRITABLE", gone) if call.is_closed(None) else call.silence()
    if signal is None:
        return _rejected(call, repository, payload, heard.unread, "UNREADABLE", now_ns)
    # In one turn an agent may run the same command again.
    unique = bool(signal.tool.call_id if signal.tool else signal.prompt_id)
    try:
        key = identity(heard.module.NAME, signal, heard.fields, payload)
        delivery = receive(repository, key, now_ns, unique=unique)
        if delivery.echo and not call.is_asked(signal):
            return delivery.said
        signal = identified(repository, signal, delivery)
        said = _answer(
            call,
            signal,
            repository,
            delivery,
            now_ns=now_ns,
            began_ns=began_ns,
            limits=limits,
            after_session=after_session,
        )
    except Exception as error:  # noqa: BLE001  a fault of ours leaves a trace, too
        return _rejected(call, repository, payload, _reason_of(error), _code_of(error), now_ns)
    if limits.processor is not None and time.process_time() < limits.processor / 2:
        finish(repository, limits)
    return said


def _answer(
    call: "_Call",
    signal: Signal,
    repository: Repository,
    first: Delivery,
    *,
    now_ns: int,
    began_ns: int | None,
    limits: Limits,
    after_session: Callable[[Repository], object] | None,
) -> Said:
    """Record a signal, then answer it; of one that came before, only a judgement that is another one by now."""
    delivery, given = first, None
    if first.echo:
        # What was refused may be allowed by now, and the other way round: each time it is asked, a call is judged.
        delivery, given = first.again(now_ns), lambda answers: call.reply(signal, answers) == first.said
    with within(limits.of_processor):
        situation = situated(repository, delivery.now_ns, call.module.NAME, call.fallback)
        recorder = Recorder(call.module.NAME, situation, signal, delivery)
        job = Job(call.module.NAME, signal, delivery.now_ns, delivery.key, call.fallback, recorder.essential())
    is_strict = situation.policy.mode == BLOCK and call.is_asked(signal) and call.may_write
    is_laborious = given is None and recorder.is_laborious
    with taken_on(repository, job, situation.redactor) if is_laborious else nullcontext() as taken, ExitStack() as kept:
        work, fault = Work(), None  # type: tuple[Work, Exception | None]
        try:
            with within(limits):
                files = kept.enter_context(recorder.held(limits.left if is_strict else 0.0))
                work = recorder.work_out(files, dialog=call.module.can_ask(signal), given=given)
        except Exception as error:  # noqa: BLE001  the event itself is recorded all the same
            fault = DeadlineError(str(error)) if limits.are_over else error
        if work.is_echo:
            return first.said
        told = recorder.events(_timed(job.event, began_ns), work)
        is_closed = fault is not None and call.is_closed(repository)
        if isinstance(fault, _OF_TIME) and is_closed:
            told.append(_denied(now_ns, _code_of(fault), _reason_of(fault)))
        seconds = SHORT_LOCK_SECONDS if fault else max(limits.left if is_strict else 0.0, LOCK_SECONDS)
        fault = _append(situation, told, work, fresh=delivery.first, is_strict=is_strict, seconds=seconds) or fault
        if taken is not None and isinstance(fault, _OF_TIME) and not call.is_asked(signal):
            taken.keep(job._replace(tries=1))
        elif taken is not None:
            taken.done()
    if fault is not None and not isinstance(fault, _OF_TIME):
        raise fault
    if signal.kind == "session_end":
        _end(situation, after_session)
    if fault is not None and call.is_closed(repository):
        return call.refusal(_code_of(fault), _reason_of(fault))
    said = call.reply(signal, work.answers)
    delivery.done(said)
    return said


def finish(repository: Repository, limits: Limits = NO_LIMITS) -> None:
    """Record what was left behind by hooks that were killed or had no time, as far as there is time now."""
    with contextlib.suppress(Exception):  # the hook must not stop the agent, and the rest stays for another day
        for taken, job in left_behind(repository):
            if limits is NO_LIMITS or job.tries < MAX_TRIES:
                taken.keep(job._replace(tries=job.tries + 1))
                _make_up(repository, job, limits)
                taken.done()


def _make_up(repository: Repository, job: Job, limits: Limits) -> None:
    with ExitStack() as kept:
        with within(limits):
            situation = situated(repository, job.now_ns, job.agent, job.fallback)
            recorder = Recorder(job.agent, situation, job.signal, Delivery.of_past(job.now_ns, job.key))
            work = recorder.complete(kept.enter_context(recorder.held()))
        try:
            told = recorder.events(job.event, work)
            _append(situation, told, work, fresh=False, is_strict=False, seconds=SHORT_LOCK_SECONDS)
        except EventError:
            return  # its own hook came further than it could say


class _Call(NamedTuple):
    """What has to be answered, whatever happens; `fallback` is the mode where no settings state one."""

    module: Adapter
    event: str
    tool: Tool | None
    fallback: str

    def is_closed(self, repository: Repository | None) -> bool:
        """Return whether a fault of ours has to end in a denial: a call that may write, and refusals count here."""
        harmless = self.tool is not None and self.tool.kind in HARMLESS
        mode = told_mode(repository, self.fallback, self.module.NAME)
        return self.event in self.module.GATED and not harmless and mode == BLOCK

    @property
    def may_write(self) -> bool:
        """Whether this is a call of a tool that is not known to write nothing."""
        return self.tool is not None and self.tool.kind not in HARMLESS

    def is_asked(self, signal: Signal) -> bool:
        """Return whether the agent waits to hear if a call may run."""
        return signal.kind == "pre_tool" and self.tool is not None

    def reply(self, signal: Signal, answers: Sequence[Answer]) -> Said:
        """Return the first verdict, else all facts together, in the words of the agent."""
        verdict = next((answer for answer in answers if answer.verdict is not None), None)
        facts = "\n".join(answer.context for answer in answers if answer.context)
        return self.module.reply(signal.name, verdict or Answer(context=facts or None))

    def silence(self, warning: bytes = b"") -> Said:
        """Return what lets the agent go on, for most that is nothing; a warning is for whoever reads its log."""
        said = self.module.reply(self.event, Answer())
        return said._replace(stderr=said.stderr + warning)

    def refusal(self, code: str, reason: str) -> Said:
        """Return a denial in the words of the agent."""
        from linetrail.ledger.gate.refusals import Refusal, message  # most calls are not refused

        refusal = Refusal(code, f"the call could not be judged: {reason}", "a tool call that linetrail could not judge")
        return self.module.reply(self.event, Answer("deny", message(refusal)))


def _timed(essential: Event, began_ns: int | None) -> Event:
    """Say with a call how long the agent has waited for this hook so far, in microseconds."""
    if began_ns is None or essential.type != "tool.requested":
        return essential
    return essential._replace(data=essential.data | {"hook_us": (time.monotonic_ns() - began_ns) // 1000})


def _append(
    situation: Situation, told: Sequence[Event], work: Work, *, fresh: bool, is_strict: bool, seconds: float
) -> Exception | None:
    """Append events, then remember what was seen: nothing is remembered that is not appended.

    What the ledger cannot take, since it is damaged, newer than we are, or held by somebody, is kept in the spool.
    `is_strict`: that a disk refused is an error all the same, and so, returned, is that somebody held the ledger.
    """
    repository = situation.repository
    omission = missed(repository)
    ledger = Ledger(repository, lock_seconds=seconds)
    batch, fault = [*told] if omission is None else [omission, *told], None
    try:
        if ledger.append(batch, fresh=fresh)[0].outcome == SPOOLED and is_strict:
            fault = LockTimeoutError("the ledger is held by another process")
    except (IntegrityError, FutureLedgerError, StorageError) as error:
        ledger.spool(batch)
        if is_strict and isinstance(error, StorageError):
            raise
    if omission is not None:
        forget_missed(repository)
    for seen in (effect for effect in work.effects if isinstance(effect, Seen)):
        situation.states.keep(seen.sight)
        seen.slot.save()
    for later in (effect for effect in work.effects if isinstance(effect, Later)):
        later.act(told)
    if ledger.due:
        _seal(repository)
    return fault


def _end(situation: Situation, after_session: Callable[[Repository], object] | None) -> None:
    _seal(situation.repository)
    if after_session is not None and situation.policy.settings.after_session:
        after_session(situation.repository)


def _seal(repository: Repository) -> None:
    """Close the tail; what cannot be sealed now waits for the next occasion."""
    with contextlib.suppress(LinetrailError):
        Ledger(repository, lock_seconds=SHORT_LOCK_SECONDS).seal()


# When something is wrong


def _reason_of(error: Exception) -> str:
    known = isinstance(error, LinetrailError | DeadlineError)
    return str(error) if known else f"{type(error).__name__}: {error}"


def _code_of(error: Exception) -> str:
    if isinstance(error, _OF_TIME):
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
    repository = place(folders(None, {}, _folder()), given.fallback)
    closed, warning = call.is_closed(repository), b""
    if repository is not None:
        with contextlib.suppress(Exception):  # whatever else is wrong, the agent gets its answer
            reason = f"nothing was read: {type(error).__name__}"
            warning = _reject(repository, given.payload or b"", reason, time.time_ns(), "TIMEOUT" if closed else None)
    return call.refusal("TIMEOUT", type(error).__name__) if closed else call.silence(warning)


def _rejected(call: _Call, repository: Repository, payload: bytes, reason: str, code: str, now_ns: int) -> Said:
    """Leave a trace of what could not be handled, and answer: with a denial where that is asked for."""
    closed = call.is_closed(repository)
    warning = _reject(repository, payload, reason, now_ns, code if closed else None)
    return call.refusal(code, reason) if closed else call.silence(warning)


def _reject(repository: Repository, payload: bytes, reason: str, now_ns: int, denied: str | None) -> bytes:
    """Leave a diagnostic: the payload's hash and size, why, and the code of the denial if the agent is given one.

    In the spool when the ledger itself is the trouble. Where nothing can be stored, return what is said of it.
    """
    reason = Redactor(private_folder(repository)).excerpt(reason)
    data = {"reason": reason, "sha256": f"sha256:{sha256(payload).hexdigest()}", "size": len(payload)}
    told = [_diagnostic(now_ns, "payload.rejected", data)]
    if denied is not None:
        told.append(_denied(now_ns, denied, reason))
    ledger = Ledger(repository, lock_seconds=SHORT_LOCK_SECONDS)
    try:
        ledger.append(told)
    except LinetrailError:
        try:
            ledger.spool(told)
        except (LinetrailError, OSError) as error:
            note_missed(repository)
            return f"linetrail-hook: an event could not be recorded: {error}\n".encode(errors="replace")
    return b""


def _denied(now_ns: int, code: str, reason: str) -> Event:
    verdict = {"verdict": "deny", "code": code, "reason": reason, "source": "linetrail"}
    return _diagnostic(now_ns, "gate.decided", verdict | {"mode": BLOCK, "enforced": True})


def _diagnostic(now_ns: int, name: str, data: dict[str, Any]) -> Event:
    return Event(new_id(now_ns), rfc3339(now_ns), name, None, None, "unknown", None, None, data)


# The process


def _start_aftermath(repository: Repository) -> None:
    from linetrail.ledger.hook.background import start  # a session ends once

    start(repository)


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
