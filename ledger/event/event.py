"""One event: its fields, its bytes, and the ids and times it carries.

FORMAT.md tells the whole format in prose. A line is UTF-8 JSON with the fields of ``FIELDS`` in that
order, no floats, no duplicate keys, and one newline; ``to_line`` and ``from_line`` are the only places
where an event becomes bytes or comes from them. Nobody re-serialises a line to check it: the chain is
over the bytes as they were written.
"""

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from linetrail.ledger.errors import EventError, FutureLedgerError
from linetrail.ledger.files import sha256
from linetrail.ledger.repository import Vcs

# 1: first format.
VERSION = 1

FIELDS = (
    "v",
    "id",
    "seq",
    "prev",
    "timestamp",
    "type",
    "session_id",
    "agent",
    "contributor",
    "intent_id",
    "vcs",
    "data",
)
# Stored names never change; a type is only ever added.
TYPES = frozenset(
    {
        "session.started",
        "session.ended",
        "prompt.submitted",
        "intent.created",
        "intent.selected",
        "intent.cleared",
        "intent.changed",
        "intent.completed",
        # the command of an acceptance criterion was run
        "criterion.checked",
        "tool.requested",
        "tool.completed",
        "tool.failed",
        "gate.decided",
        # something happened that is not what the gate had decided
        "gate.violation",
        # a person answered what the gate had asked
        "approval.decided",
        # a person said "not now": the request stays open
        "approval.deferred",
        # a person took an answer back
        "approval.revoked",
        # a person let agents go on that had to stop
        "gate.reset",
        "mutation.observed",
        # a change was judged: refactor or evolution
        "mutation.classified",
        "decision.recorded",
        "lesson.recorded",
        # an agent was told lessons together with its intent
        "lessons.shown",
        "thought.recorded",
        "recovery_point.marked",
        # a piece of work went from one state to the next: begun, given back, landed, evicted
        "work.moved",
        # a person let others write a file that a session at work had written first
        "lease.broken",
        "correction.recorded",
        "commit.observed",
        # a note of another tool on a commit
        "authorship.stated",
        "usage.recorded",
        "ledger.sealed",
        "ledger.repaired",
        # the tail had been taken away, and came back from its second name
        "ledger.restored",
        # lines that were acknowledged and never sealed are gone
        "ledger.lost",
        "ledger.missed",
        "payload.erased",
        # what an agent sent that no other type fits: stop, compaction, subagents, permissions, events of the future
        "agent.signalled",
        # a payload that could not be read: its hash, its size and the reason
        "payload.rejected",
    }
)
CONTRIBUTORS = frozenset({"ai", "human", "unknown"})
# `prev` of the first line of a chain.
GENESIS = "0" * 64
MAX_LINE_BYTES = 65_536
_NO_PLACE = b'"seq":0,"prev":"%s",' % GENESIS.encode()
MAX_DEPTH = 32
MAX_INT = 2**53 - 1

_TEXT, _TEXT_OR_NULL, _OBJECT_OR_NULL = (str,), (str, type(None)), (dict, type(None))
_KINDS: dict[str, tuple[type, ...]] = {
    "id": _TEXT,
    "seq": (int,),
    "prev": _TEXT,
    "timestamp": _TEXT,
    "type": _TEXT,
    "session_id": _TEXT_OR_NULL,
    "agent": _OBJECT_OR_NULL,
    "contributor": _TEXT,
    "intent_id": _TEXT_OR_NULL,
    "vcs": _OBJECT_OR_NULL,
    "data": (dict,),
}
_AGENT_KINDS = {"name": _TEXT, "version": _TEXT_OR_NULL, "model_id": _TEXT_OR_NULL}
_VCS_KINDS = {"type": _TEXT, "revision": _TEXT_OR_NULL, "branch": _TEXT_OR_NULL, "dirty": (bool, type(None))}
Item = TypeVar("Item")


class Agent(NamedTuple):
    """The product that acted; `model_id` is `provider/model` as models.dev spells it."""

    name: str
    version: str | None = None
    model_id: str | None = None


class Event(NamedTuple):
    """What happened. `seq` and `prev` are None until the ledger has placed the event."""

    id: str
    timestamp: str
    type: str
    session_id: str | None
    agent: Agent | None
    contributor: str
    intent_id: str | None
    vcs: Vcs | None
    data: dict[str, Any]
    v: int = VERSION
    seq: int | None = None
    prev: str | None = None


def to_line(event: Event, seq: int, prev: str) -> bytes:
    """Serialise an event at its place in the chain, or say why it may not be stored."""
    record = {
        "v": event.v,
        "id": event.id,
        "seq": seq,
        "prev": prev,
        "timestamp": event.timestamp,
        "type": event.type,
        "session_id": event.session_id,
        "agent": event.agent and event.agent._asdict(),
        "contributor": event.contributor,
        "intent_id": event.intent_id,
        "vcs": event.vcs and event.vcs._asdict(),
        "data": event.data,
    }
    if event.type not in TYPES:
        raise EventError(f"unknown event type {event.type!r}")
    if event.contributor not in CONTRIBUTORS:
        raise EventError(f"unknown contributor {event.contributor!r}")
    _check(record, 0)
    try:
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError as error:
        raise EventError(f"text of event {event.id} is not Unicode: {error.reason}") from None
    if len(line) > MAX_LINE_BYTES:
        raise EventError(f"event {event.id} takes {len(line)} bytes, {MAX_LINE_BYTES} are allowed")
    return line


def at_place(line: bytes, seq: int, prev: str) -> bytes:
    """Return a line that was made for no place (number 0, following nothing) as it is at its place."""
    before, _, behind = line.partition(_NO_PLACE)
    placed = b'%s"seq":%d,"prev":"%s",%s' % (before, seq, prev.encode(), behind)
    if len(placed) > MAX_LINE_BYTES:
        raise EventError(f"event takes {len(placed)} bytes, {MAX_LINE_BYTES} are allowed")
    return placed


def from_line(line: bytes) -> Event:
    """Read one line strictly: what one JSON reader accepts and another refuses is refused here."""
    if len(line) > MAX_LINE_BYTES:
        raise EventError(f"longer than {MAX_LINE_BYTES} bytes")
    if b"\r" in line:
        # Between tokens it is white space to one reader, and the end of the line to another.
        raise EventError("a carriage return is no part of a line")
    record = _parse(line)
    if _version(record) < VERSION:
        from linetrail.ledger.event.upcast import upcast  # no hook waits for what only old events need

        record = upcast(record, VERSION)
    _check_envelope(record)
    _check(record, 0)
    if b"\\u" in line:
        _check_escapes(record)
    return _event(record)


def new_id(unix_ns: int) -> str:
    """Return a UUIDv7 (RFC 9562): the time in milliseconds, then 74 random bits."""
    return _uuid7(unix_ns // 1_000_000, os.urandom(10))


def derived_id(unix_ns: int, *key: str) -> str:
    """Return the UUIDv7 that this natural key has at this time, so that importing twice gives one event."""
    return _uuid7(unix_ns // 1_000_000, sha256("\0".join(key).encode(errors="replace")).digest()[:10])


def id_time_ns(event_id: str) -> int:
    """Return the time that a UUIDv7 was made at, to the millisecond; 0 of an id that is none.

    >>> id_time_ns(new_id(1_760_000_000_123_456_789))
    1760000000123000000
    """
    try:
        return int(event_id[:8] + event_id[9:13], 16) * 1_000_000
    except ValueError:
        return 0


def rfc3339(unix_ns: int) -> str:
    """Format a time as RFC 3339 in UTC with microseconds, the only form stored.

    >>> rfc3339(1_760_000_000_123_456_789)
    '2025-10-09T08:53:20.123456Z'
    """
    seconds, rest = divmod(unix_ns, 1_000_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest // 1000:06d}Z"


def line_digest(line: bytes) -> str:
    """Return what the next line carries as `prev`: SHA-256 of this line's bytes, newline included, in hex."""
    return sha256(line).hexdigest()


def batches(items: Iterable[Item], weight: Callable[[Item], int], room: int) -> Iterator[list[Item]]:
    """Yield groups in order, none heavier than `room` unless one item alone is, so that each fits a line of the ledger.

    >>> list(batches(["aa", "b", "cc"], len, 3))
    [['aa', 'b'], ['cc']]
    """
    group: list[Item] = []
    left = room
    for item in items:
        needed = weight(item)
        if group and needed > left:
            yield group
            group, left = [], room
        group.append(item)
        left -= needed
    if group:
        yield group


def _uuid7(unix_ms: int, bits: bytes) -> str:
    value = (unix_ms & (2**48 - 1)) << 80 | int.from_bytes(bits, "big")
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _parse(line: bytes) -> dict[str, Any]:
    try:
        record = _DECODER.decode(line.decode())
    except UnicodeDecodeError as error:
        raise EventError(f"not UTF-8 at byte {error.start}") from None
    except RecursionError:
        raise EventError("nested too deeply") from None
    except ValueError as error:
        raise EventError(f"not JSON: {error}") from None
    if not isinstance(record, dict):
        raise EventError("not a JSON object")
    return record


def _version(record: dict[str, Any]) -> int:
    """Return the version of a line; one newer than ours is refused with the way out."""
    version = record.get("v")
    if type(version) is not int or version < 1:
        raise EventError("no version, or one that was never written")
    if version > VERSION:
        raise FutureLedgerError(f"event version {version} is newer than this linetrail reads ({VERSION})")
    return version


def _check_envelope(record: dict[str, Any]) -> None:
    """Refuse other fields and other kinds of values."""
    if tuple(record) != FIELDS:
        raise EventError("fields missing, unknown or out of order")
    for field, kinds in _KINDS.items():
        if type(record[field]) not in kinds:
            raise EventError(f"{field} is a {type(record[field]).__name__}")


def _event(record: dict[str, Any]) -> Event:
    v, event_id, seq, prev, at, kind, session_id, agent, contributor, intent_id, vcs, data = record.values()
    try:
        agent, vcs = _part(Agent, _AGENT_KINDS, agent), _part(Vcs, _VCS_KINDS, vcs)
    except TypeError as error:
        raise EventError(f"agent or vcs has the wrong fields: {error}") from None
    return Event(event_id, at, kind, session_id, agent, contributor, intent_id, vcs, data, v, seq, prev)


def _part(made: Any, kinds: dict[str, tuple[type, ...]], told: dict[str, Any] | None) -> Any:
    """Make the agent or the vcs of a record; of another type of value one reader would make a text, another not."""
    if told is None:
        return None
    for field, value in told.items():
        if type(value) not in kinds.get(field, ()):
            raise EventError(f"{field} of agent or vcs is a {type(value).__name__}, or does not belong there")
    return made(**told)


def _check(value: Any, depth: int) -> None:
    """Refuse what JSON readers disagree about: floats, huge integers, deep nesting, odd keys."""
    if isinstance(value, int):
        if not -MAX_INT <= value <= MAX_INT:
            raise EventError(f"integer {value} is outside ±(2^53-1)")
        return
    if value is None or isinstance(value, str):
        return
    if depth >= MAX_DEPTH:
        raise EventError(f"nested deeper than {MAX_DEPTH}")
    for item in _items(value):
        # Most values are texts or small numbers: a call for each took a tenth of an import.
        kind = type(item)
        if kind is not str and item is not None and not (kind is int and -MAX_INT <= item <= MAX_INT):
            _check(item, depth + 1)


def _items(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        try:
            plain = "".join(value).isascii()
        except TypeError:
            plain = False
        if not plain:
            key = next(key for key in value if not (isinstance(key, str) and key.isascii()))
            raise EventError(f"key {key!r} is not ASCII text")
        return value.values()
    if isinstance(value, list | tuple):
        return value
    raise EventError(f"a {type(value).__name__} cannot be stored")


def _check_escapes(record: dict[str, Any]) -> None:
    r"""Refuse the one thing that only an escape can smuggle in: half of a surrogate pair, as in ``\ud800``."""
    try:
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise EventError("a lone surrogate is no text") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise EventError("a key occurs twice")
    return record


def _no_float(text: str) -> Any:
    raise EventError(f"number {text} is not an integer")


# One for all lines: `json.loads` with these options would make a decoder for each.
_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_no_float, parse_constant=_no_float)
