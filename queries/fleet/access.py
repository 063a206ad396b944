"""Keep who asked what of a store, where everybody who may read its answers can read it: a chain, an object each.

An entry is put before its question is answered, under the next number and only where none of that number is, and holds
the hash of the entry before it. So none can be taken out, changed or put between others unseen. Whoever asks is named
as git's settings name them, which a person can set: the store's own log says who had its keys.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from linetrail.ledger.errors import IntegrityError, LinetrailError
from linetrail.ledger.event.event import GENESIS
from linetrail.ledger.files import sha256
from linetrail.queries.fleet import objects
from linetrail.queries.fleet.layout import ASKED, LAKE

if TYPE_CHECKING:
    from obstore.store import ObjectStore

PREFIX = f"{LAKE}/{ASKED}"
# Many may ask at once: whoever finds their number taken goes on with the next.
_TRIES = 100


class NotRecordedError(LinetrailError):
    """It could not be written down who asks, so nothing is answered."""

    hint = "whoever asks must be able to write below lake/asked/ in the store"


class AskedDamageError(IntegrityError):
    """An entry of the chain is gone or changed."""

    hint = "restore it from a version or a copy of the store; until then nobody can say who asked"


class Entry(NamedTuple):
    """One question: who asked it when, of which tiers of which build; `prev` is the hash of the entry before it."""

    at: str
    who: str
    query: str
    parameters: Mapping[str, object]
    tiers: Sequence[str]
    engine: str
    generation: int
    number: int = 0
    prev: str = GENESIS


def record(store: "ObjectStore", entry: Entry) -> Entry:
    """Put an entry at the end of the chain, and return it with its number and what it follows."""
    number, prev = end(store)
    for _ in range(_TRIES):
        made = entry._replace(number=number + 1, prev=prev)
        if objects.put(store, _name(made.number), _render(made)):
            return made
        number, prev = number + 1, sha256(objects.get(store, _name(number + 1))).hexdigest()
    raise NotRecordedError(f"{_TRIES} others asked at the same moment")


def entries(store: "ObjectStore") -> Iterator[Entry]:
    """Yield the chain from its beginning; raise where it does not hold."""
    there = sorted(objects.sizes(store, PREFIX))
    names = [_name(number + 1) for number in range(len(there))]
    prev = GENESIS
    for name, content in zip(names, objects.at_once(_reader(store, there), names, "reading", "entries"), strict=True):
        if content is None:
            raise AskedDamageError(name, 0, "ENTRY_MISSING", "the entry is gone, and later ones are there")
        try:
            entry = Entry(**json.loads(content))
        except (ValueError, TypeError):
            raise AskedDamageError(name, 0, "ENTRY_CHANGED", "this is no entry") from None
        if entry.prev != prev or _render(entry) != content:
            raise AskedDamageError(name, 0, "ENTRY_CHANGED", "it does not follow from the entry before it")
        prev = sha256(content).hexdigest()
        yield entry


def require_all(store: "ObjectStore", asked: int, head: str) -> int:
    """Return how many questions were asked; raise where those are not among them that a build knew of."""
    digests = [sha256(_render(entry)).hexdigest() for entry in entries(store)]
    if asked and (len(digests) < asked or digests[asked - 1] != head):
        raise AskedDamageError(_name(asked), 0, "ENTRY_MISSING", f"{asked} had asked when the tables were built")
    return len(digests)


def _reader(store: "ObjectStore", there: list[str]) -> "Callable[[str], bytes | None]":
    known = {f"{PREFIX}/{name}" for name in there}
    return lambda name: objects.get(store, name) if name in known else None


def end(store: "ObjectStore") -> tuple[int, str]:
    """Return the number and the hash of the last entry."""
    names = sorted(objects.sizes(store, PREFIX))
    if not names:
        return 0, GENESIS
    content = objects.get(store, f"{PREFIX}/{names[-1]}")
    return int(names[-1].removesuffix(".json")), sha256(content).hexdigest()


def _name(number: int) -> str:
    return f"{PREFIX}/{number:012}.json"


def _render(entry: Entry) -> bytes:
    return json.dumps(entry._asdict(), ensure_ascii=False, sort_keys=True, default=str).encode() + b"\n"
