"""The circuit breaker: who fails or is refused again and again has to stop for a while.

Closed → `threshold` failures in a row within the window → open → after the cooldown half open: one call may try. If
it succeeds the breaker is closed; if it fails it is open again for twice as long.

Failures are those of one session under one selected intent: they stop no other session, and count no more once another
intent is selected. An intent has a breaker, too, which is opened by an alarm alone; an alarm outlives the selection.

Clocks jump: a moment in the future counts as now, so nothing waits longer than one cooldown from when it is asked,
and a failure whose age is not known counts towards nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple

from linetrail.ledger.files import DamagedStateError, StateFile, StateFolder, name_of
from linetrail.ledger.gate.policy import Policy
from linetrail.ledger.gate.settings import BLOCK
from linetrail.ledger.intents import selection
from linetrail.ledger.repository import Repository

SECOND = 1_000_000_000
MAX_COOLDOWN_S = 7 * 24 * 3600
# How long it gets by being opened again and again; whoever set a longer one keeps that.
MAX_DOUBLED_S = 3600
MAX_THRESHOLD = 1000
# Two hooks read the clock, then wait for each other: so much earlier is no jump.
SKEW_NS = 5 * SECOND
KIND = "breaker"
_SESSION = "session:"

State = Literal["closed", "open", "half_open"]


class Settings(NamedTuple):
    """When it opens, and for how long. `strict`: a file that cannot be read counts as open."""

    threshold: int = 5
    window_s: int = 600
    cooldown_s: int = 60
    strict: bool = False


DEFAULT = Settings()


class Standing(NamedTuple):
    """How it stands for a call: `half_open` lets this one call try. `key` is whose breaker says so, if one does."""

    state: State
    key: str | None = None
    failures: int = 0
    until_ns: int | None = None
    reason: str | None = None


CLOSED = Standing("closed")


class _Record(NamedTuple):
    """What a file says. `failed_ns` are the failures since the last success; `trying_ns` is when the one try began.

    `selected` is the intent under which the calls failed; an `alarm` opened it whatever was selected.
    """

    key: str
    failed_ns: tuple[int, ...] = ()
    opened_ns: int | None = None
    cooldown_s: int = 0
    trying_ns: int | None = None
    reason: str | None = None
    selected: str | None = None
    alarm: bool = False


def session(session_id: str) -> str:
    """Return the key of a session's breaker."""
    return f"{_SESSION}{session_id}"


def intent(intent_id: str) -> str:
    """Return the key of an intent's breaker."""
    return f"intent:{intent_id}"


def keys_of(session_id: str | None, selected: str | None) -> list[str]:
    """Return what failures of a session that works for an intent are counted under."""
    keys = [session(session_id)] if session_id else []
    return [*keys, intent(selected)] if selected else keys


def settings_of(policy: Policy) -> Settings:
    """Return when calls are stopped because too many failed."""
    told = policy.settings
    return Settings(
        told.breaker_threshold,
        told.breaker_window_seconds,
        told.breaker_cooldown_seconds,
        strict=policy.mode == BLOCK,
    )


def standing(repository: Repository, keys: Sequence[str], now_ns: int, settings: Settings = DEFAULT) -> Standing:
    """Return whether a call may run; after the cooldown the one that asks first gets the try, and it alone."""
    folder = StateFolder(repository, KIND)
    present = set(folder.names())
    keys = [key for key in keys if name_of(key) in present]
    if not keys:
        return CLOSED
    with folder.held():
        before = {key: _read(folder, key, now_ns, settings) for key in keys}
        records = {key: _present(repository, record, now_ns) for key, record in before.items()}
        judged = [_judged(record, now_ns, settings) for record in records.values()]
        answer = max(judged, key=lambda one: (_RANK[one.state], one.until_ns or 0), default=CLOSED)
        if answer.state == "half_open":
            trying = {one.key for one in judged if one.state == "half_open"}
            records = {key: r._replace(trying_ns=now_ns) if key in trying else r for key, r in records.items()}
        for key, record in records.items():
            if record != before[key]:
                _write(folder, record)
    return answer


def count(
    repository: Repository, keys: Sequence[str], *, failed: bool, now_ns: int, settings: Settings = DEFAULT
) -> Standing:
    """Note how a call ended, and tell how it stands now. Refusals of the breaker itself are not to be counted.

    A failure is one of the first key; the others hear of it only where it may have been their try.
    """
    folder = StateFolder(repository, KIND)
    present = set(folder.names())
    keys = [key for key in keys if (failed and key == keys[0]) or name_of(key) in present]
    if not keys:
        return CLOSED
    step = _failure if failed else _success
    return _changed(repository, keys, lambda record: step(record, now_ns, settings), now_ns, settings)


def trip(
    repository: Repository, keys: Sequence[str], reason: str, now_ns: int, settings: Settings = DEFAULT
) -> Standing:
    """Open at once, whatever was counted: something happened that had been refused."""

    def alarmed(record: _Record) -> _Record:
        return _open(record, reason, now_ns, settings)._replace(alarm=True)

    return _changed(repository, keys, alarmed, now_ns, settings)


def reset(repository: Repository, key: str | None = None) -> list[str]:
    """Close one breaker, or all of them, and return the keys of those that were not closed or had counted something."""
    folder = StateFolder(repository, KIND)
    if not folder.names():
        return []
    with folder.held():
        names = folder.names() if key is None else [name_of(key)]
        known = [record.key for record in (_look(folder, name) for name in names) if record is not None]
        for name in names:
            folder.drop(name)
    return sorted(known)


def standings(repository: Repository, now_ns: int, settings: Settings = DEFAULT) -> list[Standing]:
    """Return every breaker that has counted something, without taking anybody's try."""
    folder = StateFolder(repository, KIND)
    records = [record for record in (_look(folder, name) for name in folder.names()) if record is not None]
    judged = ((record.key, _judged(_present(repository, record, now_ns), now_ns, settings)) for record in records)
    return sorted((one._replace(key=key) for key, one in judged if one != CLOSED), key=lambda one: one.key or "")


_RANK = {"closed": 0, "half_open": 1, "open": 2}


def _changed(
    repository: Repository, keys: Iterable[str], change: Callable[[_Record], _Record], now_ns: int, settings: Settings
) -> Standing:
    folder, judged = StateFolder(repository, KIND), [CLOSED]
    with folder.held():
        for key in dict.fromkeys(keys):
            record = change(_present(repository, _read(folder, key, now_ns, settings), now_ns))
            _write(folder, record)
            judged.append(_judged(record, now_ns, settings))
    return max(judged, key=lambda one: (_RANK[one.state], one.failures, one.until_ns or 0))


def _present(repository: Repository, record: _Record, now_ns: int) -> _Record:
    """Return what of a record counts now: nothing, once another intent is selected, unless there was an alarm."""
    session_id = record.key.removeprefix(_SESSION)
    selected = selection.read(repository, session_id) if session_id != record.key else None
    if record.selected != selected and not record.alarm:
        return _Record(record.key, selected=selected)
    return _steady(record, now_ns)


def _steady(record: _Record, now_ns: int) -> _Record:
    """Bring a record to a clock that was set back: what lies ahead began now, and failures of unknown age are none."""
    limit = now_ns + SKEW_NS
    return record._replace(
        failed_ns=tuple(at for at in record.failed_ns if at <= limit),
        opened_ns=_begun(record.opened_ns, now_ns),
        trying_ns=_begun(record.trying_ns, now_ns),
    )


def _begun(at: int | None, now_ns: int) -> int | None:
    return now_ns if at is not None and at > now_ns + SKEW_NS else at


def _judged(record: _Record, now_ns: int, settings: Settings) -> Standing:
    failures = len(_recent(record, now_ns, settings))
    if record.opened_ns is None:
        return Standing("closed", record.key, failures) if failures else CLOSED
    # Whoever may try and is never heard of again keeps the others waiting for one more cooldown.
    begun = record.opened_ns if record.trying_ns is None else record.trying_ns
    until = begun + record.cooldown_s * SECOND
    return Standing("open" if now_ns < until else "half_open", record.key, failures, until, record.reason)


def _failure(record: _Record, now_ns: int, settings: Settings) -> _Record:
    threshold = min(max(settings.threshold, 1), MAX_THRESHOLD)
    failed = (*_recent(record, now_ns, settings), now_ns)
    record = record._replace(failed_ns=failed[-MAX_THRESHOLD:])
    if record.opened_ns is not None:
        # While it is open nothing should run: what fails then was on its way before, and says nothing new.
        return _open(record, record.reason, now_ns, settings) if record.trying_ns is not None else record
    if len(failed) < threshold:
        return record
    reason = f"{len(failed)} calls in a row failed or were refused within {settings.window_s} s"
    return _open(record, reason, now_ns, settings)


def _success(record: _Record, now_ns: int, settings: Settings) -> _Record:
    """Close it, or start counting anew; a call that was on its way when it opened closes nothing."""
    del now_ns, settings
    on_its_way = record.opened_ns is not None and record.trying_ns is None
    return record if on_its_way else _Record(record.key, selected=record.selected)


def _open(record: _Record, reason: str | None, now_ns: int, settings: Settings) -> _Record:
    again = record.opened_ns is not None and record.trying_ns is not None
    doubled = min(record.cooldown_s * 2, max(record.cooldown_s, MAX_DOUBLED_S))
    cooldown = doubled if again else max(record.cooldown_s, settings.cooldown_s)
    limited = min(max(cooldown, 1), MAX_COOLDOWN_S)
    return record._replace(opened_ns=now_ns, cooldown_s=limited, trying_ns=None, reason=reason)


def _recent(record: _Record, now_ns: int, settings: Settings) -> tuple[int, ...]:
    return tuple(at for at in record.failed_ns if now_ns - at <= settings.window_s * SECOND)


def _read(folder: StateFolder, key: str, now_ns: int, settings: Settings) -> _Record:
    """Read a state file while the folder is held; a damaged one is replaced, or it would be as damaged for ever."""
    try:
        state = folder.read(name_of(key))
        return _Record(key) if state is None else _record(state)
    except DamagedStateError:
        blank = _Record(key)
        healed = _open(blank, "its record was damaged", now_ns, settings) if settings.strict else blank
        _write(folder, healed)
        return healed


def _look(folder: StateFolder, name: str) -> _Record | None:
    """Read a state file for people; one that is damaged says nothing."""
    try:
        state = folder.read(name)
        return None if state is None else _record(state)
    except DamagedStateError:
        return None


def _write(folder: StateFolder, record: _Record) -> None:
    if record == _Record(record.key, selected=record.selected):
        folder.drop(name_of(record.key))
    else:
        folder.write(name_of(record.key), record._asdict())


def _record(state: StateFile) -> _Record:
    """Read a state file strictly: a number that is none would open or close the breaker at random."""
    try:
        record = _Record(**state | {"failed_ns": tuple(state["failed_ns"])})
    except (KeyError, TypeError) as error:
        raise DamagedStateError(f"a state file of the breaker has the wrong fields: {error}") from None
    numbers = (
        record.cooldown_s,
        *record.failed_ns,
        *(n for n in (record.opened_ns, record.trying_ns) if n is not None),
    )
    texts: tuple[Any, ...] = (record.key, record.reason or "", record.selected or "")
    if (
        not all(type(number) is int for number in numbers)
        or not all(isinstance(text, str) for text in texts)
        or not isinstance(record.alarm, bool)
    ):
        raise DamagedStateError("a state file of the breaker holds values of another kind")
    if not 0 <= record.cooldown_s <= MAX_COOLDOWN_S:
        raise DamagedStateError("a state file of the breaker waits longer than any does")
    return record
