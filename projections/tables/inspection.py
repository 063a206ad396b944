"""Judge one segment, or the tail, line by line: is it what was written, and does each line keep the contract?

Nothing outside of the bytes is looked at, so segments can be judged in any order and in several processes. Almost
every line is shown to be sound by a few calls into C; what is in doubt goes to the slow readers, which alone refuse.
"""

import functools
import hashlib
import io
from array import array
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from linetrail.ledger.errors import EventError, FutureLedgerError, FutureSegmentError, IntegrityError
from linetrail.ledger.event.event import FIELDS, GENESIS, MAX_LINE_BYTES, Event, from_line
from linetrail.ledger.log import chain, segments
from linetrail.ledger.log.chain import START, Head
from linetrail.ledger.log.id_index import ids, keys
from linetrail.ledger.log.integrity import resumed
from linetrail.ledger.log.segments import Segment
from linetrail.projections.tables.verdicts import SoundTail

if TYPE_CHECKING:
    from hashlib import _Hash

    from pydantic_core import SchemaValidator

# Where another kind of events has keys of its own making, the slow reader looks whether they are ASCII.
_FREE_KEYS = frozenset({"recovery_point.marked"})
# So many lines are held against the JSON Schema in less time than it takes to load pydantic, where nothing has yet.
FEW = 200
# What a newer version may add besides a type: a field.
_ADDED = "extra_forbidden"
_POINTER = b"version https://git-lfs.github.com/spec/"


class Problem(NamedTuple):
    """What is wrong, and where; an IntegrityError that can go from one process to another."""

    file: str
    offset: int
    code: str
    message: str

    @classmethod
    def of(cls, error: IntegrityError) -> "Problem":
        """Take over what an error says."""
        return cls(error.file, error.offset, error.code, error.message)

    def error(self) -> IntegrityError:
        """Return what it is where it ends a command."""
        kind = FutureSegmentError if self.code == "FUTURE_SEGMENT" else IntegrityError
        return kind(*self)


class Verdict(NamedTuple):
    """What was found in one file. `segment` is its header, None unless the content has the name it should have."""

    problems: tuple[Problem, ...]
    segment: Segment | None
    end: Head
    keys: "array[int]"
    # lines that were lost before they were sealed, as the ledger itself says
    lost: int = 0
    # events with a type or a field that this version does not know
    unknown: int = 0

    @classmethod
    def refused(cls, error: IntegrityError) -> "Verdict":
        """Judge a file by the reason why it cannot be read."""
        return cls((Problem.of(error),), None, START, array("Q"))


def judge_segment(name: str, content: bytes, file: str) -> Verdict:
    """Judge the content of the file that has a segment's name."""
    if content.startswith(_POINTER):
        told = "git LFS keeps the content elsewhere; a segment must be in git itself"
        return Verdict.refused(IntegrityError(file, 0, "LFS_POINTER", told))
    digest = hashlib.sha256(content).hexdigest()
    problems = []
    if digest != name:
        problems.append(Problem.of(segments.altered(file, content, digest)))
    opening = content[: content.find(b"\n") + 1]
    try:
        header = segments.parse_header(opening, name, file)
    except IntegrityError as error:
        return Verdict((*problems, Problem.of(error)), None, START, array("Q"))
    start = Head(len(opening), header.first - 1, header.follows)
    lines = Lines(file, future_is_damage=bool(problems))
    problems += lines.judge(io.BytesIO(content), start)
    problems += lines.violations(opening, 0, segments.HEADER)
    if not problems:
        problems += _untrue(header, opening, content, lines)
    return Verdict(
        tuple(problems), None if digest != name else header, lines.head, keys(lines.ids), lines.lost, lines.unknown
    )


def judge_tail(
    file: BinaryIO, path: str, base: Head, known: SoundTail, *, brief: bool = False
) -> tuple[Verdict, list[str], SoundTail]:
    """Judge the live tail but for its lines that are `known`, and say which are from now on.

    With that, return the ids behind `base`.
    A torn last line is no damage. The lines up to `base` are sealed: their ids are not looked at again. A `brief`
    judgement is about bytes alone: what events may say is left to a longer look, which begins by loading the contract.
    """
    lines = Lines(path, brief=brief)
    start, read = resumed(file, known.end, known.sha256)
    file.seek(0)
    before = ids(file.read(start.size))
    if start.seq and len(before) == start.seq:
        lines.ids, lines.lost, lines.unknown = before, known.lost, known.unknown
    else:
        start, read = START, hashlib.sha256()
    problems = tuple(lines.judge(file, start, read))
    unsealed = lines.ids[base.seq :]
    verdict = Verdict(problems, None, lines.head, keys(unsealed), lines.lost, lines.unknown)
    if not problems:
        known = SoundTail(lines.head, read.hexdigest(), lines.lost, lines.unknown)
    return verdict, unsealed, known


class Lines:
    """The lines of one file, followed to where they end."""

    def __init__(self, path: str, *, future_is_damage: bool = False, brief: bool = False) -> None:
        self.path = path
        self.head = START
        self.ids: list[str] = []
        self.lost = self.unknown = 0
        self._few = 0 if contract.cache_info().currsize else FEW
        self._future_is_damage = future_is_damage
        self._codec = None if brief else _codec()

    def judge(self, file: BinaryIO, start: Head, read: "_Hash | None" = None) -> Iterator[Problem]:
        """Yield what is wrong with the lines after `start`, each judged by the one before it; `read` takes them in."""
        offset, seq, digest = start
        file.seek(offset)
        sha256, sound = hashlib.sha256, self._sound
        while raw := file.readline(MAX_LINE_BYTES + 1):
            if (event_id := sound(raw, seq + 1, digest)) is not None:
                self.ids.append(event_id)
                seq += 1
            elif not raw.endswith(b"\n") or b"\0" in raw:
                yield from map(Problem.of, self._torn(file, Head(offset, seq, digest)))
                break
            else:
                event, found = self._doubtful(raw, Head(offset, seq, digest))
                yield from found
                seq = (event and event.seq) or seq + 1
            offset += len(raw)
            digest = sha256(raw).hexdigest()
            if read is not None:
                read.update(raw)
        self.head = Head(offset, seq, digest)

    def violations(self, raw: bytes, offset: int, kind: str) -> Iterator[Problem]:
        """Yield what in a line contradicts the contract; what a newer version may have added is only counted."""
        from pydantic import ValidationError

        try:
            contract(kind).validate_json(raw)
        except LookupError:
            self.unknown += 1
        except ValidationError as error:
            contradictions = [found for found in error.errors() if found["type"] != _ADDED]
            if not contradictions:
                self.unknown += 1
            for found in contradictions:
                where = ".".join(map(str, found["loc"]))
                yield Problem(self.path, offset, "SCHEMA_VIOLATION", f"{where}: {found['msg']}")

    def _sound(self, raw: bytes, seq: int, prev: str) -> str | None:
        """Return the id of a line that certainly is as it should be at this place; None where there is a doubt.

        That it comes out as it went in shows: no key twice, no white space, no lone surrogate. The contract leaves no
        room for floats, huge numbers, odd keys or deep nesting.
        """
        if self._codec is None:
            return self._follows(raw, seq, prev)
        try:
            if not raw.isascii():
                raw.decode()
            record = self._codec.decode(raw)
            if self._codec.encode(record) != raw[:-1] or raw[-1:] != b"\n" or tuple(record) != FIELDS:
                return None
            # To the contract, `true` and `1.0` are as good as 1.
            if record["seq"] != seq or record["prev"] != prev or type(record["v"]) is not int:
                return None
            kind = record["type"]
            if not self._fits(record):
                contract(kind).validate_python(record)
        except (self._codec.error, LookupError, ValueError, TypeError, RecursionError):
            return None
        if len(raw) > MAX_LINE_BYTES or kind in _FREE_KEYS:
            return None
        self._count(kind, record["data"])
        return str(record["id"])

    def _fits(self, record: Mapping[str, Any]) -> bool:
        """Return whether one of the first lines plainly keeps the contract, for which little has to be loaded."""
        self._few -= 1
        if self._few < 0:
            return False
        from linetrail.projections.tables.plain_schema import fits

        return fits(record)

    def _follows(self, raw: bytes, seq: int, prev: str) -> str | None:
        """Return the id of a line that can be read and stands where it should, and counts no lines that were lost."""
        try:
            event = from_line(raw)
        except EventError:
            return None
        sure = (event.seq, event.prev) == (seq, prev) and event.type != "ledger.lost"
        return event.id if sure and raw.endswith(b"\n") else None

    def _doubtful(self, raw: bytes, after: Head) -> tuple[Event | None, list[Problem]]:
        """Judge a line by the slow readers."""
        try:
            line, problem = chain.judge(raw, self.path, after)
        except FutureLedgerError as error:
            if not self._future_is_damage:
                raise
            return None, [Problem(self.path, after.size, "UNREADABLE_LINE", str(error))]
        found = [Problem.of(problem)] if problem is not None else []
        if line is None:
            return None, found
        self.ids.append(line.event.id)
        violations = list(self.violations(raw, after.size, line.event.type))
        if not violations:
            self._count(line.event.type, line.event.data)
        return line.event, [*found, *violations]

    def _count(self, kind: str, data: Mapping[str, Any]) -> None:
        """Count the lines that an event says were lost."""
        if kind == "ledger.lost":
            self.lost += data["lines"]

    def _torn(self, file: BinaryIO, after: Head) -> Iterator[IntegrityError]:
        """Yield what is wrong with a line without an end, if that is more than a write that never finished."""
        yield from (problem for _, problem in chain.judged(file, self.path, after) if problem is not None)


def _untrue(header: Segment, opening: bytes, content: bytes, lines: Lines) -> Iterator[Problem]:
    """Yield what a header says that its lines do not."""
    if lines.head != Head(len(content), header.last, header.digest):
        message = f"the header promises lines up to seq {header.last}, they end with seq {lines.head.seq}"
        yield Problem(lines.path, lines.head.size, "LINES_MISSING", message)
        return
    told = _codec().decode(opening)["data"]
    truth = {
        "parents": sorted(set(header.parents)),
        "bytes": len(content) - len(opening),
        "oldest_id": min(lines.ids),
        "newest_id": max(lines.ids),
    }
    for field, true in truth.items():
        if told.get(field) != true:
            yield Problem(lines.path, 0, "UNTRUE_HEADER", f"{field} of the header is not what its lines say")
    if (header.first == 1) != (header.follows == GENESIS):
        yield Problem(lines.path, 0, "UNTRUE_HEADER", "only line 1 follows no other")


class _Codec(NamedTuple):
    """What reads a line and writes it again, and what it raises."""

    decode: Callable[[bytes], Any]
    encode: Callable[[object], bytes]
    error: type[Exception]


@functools.cache
def _codec() -> _Codec:
    from msgspec import MsgspecError, json  # a brief look needs none of it

    return _Codec(json.Decoder().decode, json.Encoder().encode, MsgspecError)


@functools.cache
def contract(kind: str) -> "SchemaValidator":
    """Return what validates one line of this type; making it takes longer than to judge many, and few types are new."""
    from linetrail.ledger.event.schema import event

    return cast("SchemaValidator", event(kind).__pydantic_validator__)
