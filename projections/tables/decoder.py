"""Follow a chain of lines as `ledger.chain` does, three times as fast.

Most lines are what this program wrote: a decoder in C that knows the types below, and writing the line again, show that
they are sound. Whatever is in doubt goes to the slow reader, which alone refuses and says why; so a doubt costs time
and never gives another answer.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Annotated, Any, BinaryIO

from msgspec import Meta as Limit
from msgspec import MsgspecError, Struct, defstruct, json

from linetrail.ledger.errors import IntegrityError
from linetrail.ledger.event.event import MAX_INT, MAX_LINE_BYTES, VERSION
from linetrail.ledger.log.chain import START, Head, judge

Int = Annotated[int, Limit(ge=-MAX_INT, le=MAX_INT)]
Scalar = str | Int | bool | None
# Lines that are decoded and hashed together while they are copied.
BATCH = 256
# Containers inside `data`; each level doubles the decoder. Hunks take six, what is deeper is read slowly.
LEVELS = 7


class Agent(Struct, forbid_unknown_fields=True, gc=False):
    """As event.Agent."""

    name: str
    version: str | None
    model_id: str | None


class Vcs(Struct, forbid_unknown_fields=True, gc=False):
    """As event.Vcs."""

    type: str
    revision: str | None
    branch: str | None
    dirty: bool | None


class Follower:
    """One chain, followed up to `head`; the ids on the way are added to `ids`, if somebody wants them."""

    def __init__(self, path: str, head: Head = START, *, ids: list[str] | None = None) -> None:
        self.path, self.head = path, head
        self._ids = ids

    def follow(self, lines: Iterable[bytes]) -> Head:
        """Go on over these whole lines; raise at the first that does not follow."""
        for problem in self.problems(lines):
            raise problem
        return self.head

    def follow_together(self, lines: Sequence[bytes]) -> None:
        """Go on over these whole lines as `follow` does, in less time where all of them are sound."""
        decoded = _all_sound(lines)
        if decoded is not None:
            offset, seq, digest = self.head
            digests = [hashlib.sha256(raw).hexdigest() for raw in lines]
            numbered = [line.seq for line in decoded] == list(range(seq + 1, seq + len(lines) + 1))
            if numbered and [line.prev for line in decoded] == [digest, *digests[:-1]]:
                if self._ids is not None:
                    self._ids += [line.id for line in decoded]
                self.head = Head(offset + sum(map(len, lines)), seq + len(lines), digests[-1])
                return
        self.follow(lines)

    def problems(self, lines: Iterable[bytes]) -> Iterator[IntegrityError]:
        """Go on over these whole lines, each judged by the one before it; yield what is wrong with them."""
        offset, seq, digest = self.head
        ids = [] if self._ids is None else self._ids
        for raw in lines:
            line = sound(raw)
            if line is not None and line.seq == seq + 1 and line.prev == digest:
                ids.append(line.id)
                seq += 1
            else:
                judged, problem = judge(raw, self.path, Head(offset, seq, digest))
                if judged is not None:
                    ids.append(judged.event.id)
                seq = (judged and judged.event.seq) or seq + 1
                if problem is not None:
                    yield problem
            offset += len(raw)
            digest = hashlib.sha256(raw).hexdigest()
            self.head = Head(offset, seq, digest)


def copy(lines: Iterator[bytes], follower: Follower, target: BinaryIO, *, without: Collection[int] = ()) -> Head:
    """Follow these lines to their end, and write those whose numbers are not left out."""
    while batch := list(islice(lines, BATCH)):
        first = follower.head.seq + 1
        follower.follow_together(batch)
        kept = (line for seq, line in enumerate(batch, first) if seq not in without) if without else batch
        target.writelines(kept)
    return follower.head


def sound(raw: bytes) -> Any:
    """Return a line decoded if it is certainly valid by itself, else None.

    That it comes out as it went in shows what a type cannot: order, no key twice, no white space.
    """
    try:
        line = _decode(raw) if raw.isascii() else _decode_beyond_ascii(raw)
    except (MsgspecError, UnicodeError, RecursionError):
        return None
    return line if _encode(line) == raw[:-1] and raw[-1:] == b"\n" and len(raw) <= MAX_LINE_BYTES else None


def _all_sound(lines: Sequence[bytes]) -> list[Any] | None:
    """Decode lines that are certainly right by themselves; None where there is a doubt about one of them."""
    try:
        decoded = [_decode(raw) if raw.isascii() else _decode_beyond_ascii(raw) for raw in lines]
    except (MsgspecError, UnicodeError, RecursionError):
        return None
    same = _encode_lines(decoded) == b"".join(lines)
    return decoded if same and max(map(len, lines), default=0) <= MAX_LINE_BYTES else None


def _decode_beyond_ascii(raw: bytes) -> Any:
    """Decode a line that has other characters: in texts, not in keys."""
    raw.decode()
    return _ascii_keys()(raw)


def _line(key: Any) -> type[Struct]:
    """Return the type of a line whose objects have such keys."""
    value: Any = Scalar
    for _ in range(LEVELS):
        value = Scalar | list[value] | dict[key, value]
    fields = [
        ("v", Annotated[int, Limit(ge=VERSION, le=VERSION)]),
        ("id", str),
        ("seq", Int),
        ("prev", str),
        ("timestamp", str),
        ("type", str),
        ("session_id", str | None),
        ("agent", Agent | None),
        ("contributor", str),
        ("intent_id", str | None),
        ("vcs", Vcs | None),
        ("data", dict[key, value]),
    ]
    return defstruct("Line", fields, forbid_unknown_fields=True, gc=False)


@cache
def _ascii_keys() -> Callable[[bytes], Any]:
    """Return a decoder that a ledger in plain ASCII does not wait for."""
    return json.Decoder(_line(Annotated[str, Limit(pattern=r"\A[\x00-\x7f]*\Z")])).decode


_decode: Callable[[bytes], Any] = json.Decoder(_line(str)).decode
_encode, _encode_lines = json.Encoder().encode, json.Encoder().encode_lines
