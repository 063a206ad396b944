"""One repository of a fleet: weeks of work in several worktrees, sealed as it goes, and what goes wrong on the way.

A segment is *doubled* where another branch has the same events in a chain of its own, *rewritten* where it was sealed
again on other parents, *late* where its worktree pushes after all others, *damaged* where the store lost some of it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from linetrail.ledger.event.event import GENESIS, line_digest
from linetrail.ledger.hashes import sha256
from linetrail.ledger.log import checkpoint, segments
from linetrail.ledger.log.chain import FULL_BYTES, FULL_EVENTS, Line
from linetrail.ledger.log.segments import Segment
from tests.fleet.sessions import Entry, Facts, Session

BEGINNING_NS = 1_767_571_200_000_000_000  # Monday, 2026-01-05
_HOUR_NS = 3_600_000_000_000
_WORKTREES, _INTENTS, _PEOPLE = 3, 40, 8
_SEALED_AT = 1_200  # events, on average


class Faults(NamedTuple):
    """How likely it is for a segment to be doubled, rewritten, damaged; for a worktree to be late."""

    doubled: float = 0.03
    rewritten: float = 0.03
    damaged: float = 0.005
    late: float = 0.1


class Place(NamedTuple):
    """Where an entry stands, as far as a segment asks."""

    id: str
    seq: int
    prev: str
    timestamp: str


class Object(NamedTuple):
    """What is put into the store; late is what comes another day."""

    name: str
    content: bytes
    late: bool = False


class Chain:
    """A tail: lines that follow each other, and wait to be sealed."""

    def __init__(self, *, late: bool = False) -> None:
        self.late = late
        self.seq, self.digest = 0, GENESIS
        self.name: str | None = None
        self.entries: list[Entry] = []
        self.lines: list[Line] = []
        self.bytes = 0
        self.facts: Facts = Counter()

    def add(self, entries: Sequence[Entry], facts: Facts) -> None:
        """Append the events of a session."""
        self.entries += entries
        self.facts.update(facts)
        for entry in entries:
            self.seq += 1
            line = b'{"v":1,"id":"%s","seq":%d,"prev":"%s","timestamp":"%s",%s\n' % (
                entry.id.encode(),
                self.seq,
                self.digest.encode(),
                entry.timestamp.encode(),
                entry.rest,
            )
            place = Place(entry.id, self.seq, self.digest, entry.timestamp)
            self.lines.append(Line(0, line, place))
            self.digest = line_digest(line)
            self.bytes += len(line)

    def is_full_with(self, entries: Sequence[Entry]) -> bool:
        """Return whether a session no longer fits."""
        size = sum(len(entry.rest) + 256 for entry in entries)
        return bool(self.lines) and (len(self.lines) + len(entries) > FULL_EVENTS or self.bytes + size > FULL_BYTES)

    def seal(self, parents: Sequence[str]) -> tuple[Segment, bytes]:
        """Make a segment of the lines that wait."""
        segment, content = segments.compose(self.lines, parents)
        self.name = segment.name
        return segment, content

    def clear(self) -> None:
        """Let the tail be empty."""
        self.entries, self.lines, self.bytes, self.facts = [], [], 0, Counter()


class Repository:
    """A repository at work; `facts` and `late_facts` are what is true of it, `faults` names the segments concerned."""

    def __init__(self, seed: int, number: int, faults: Faults) -> None:
        self._random = Random(f"{seed}:{number}")
        self._rates = faults
        self.repo_id = f"{self._random.getrandbits(160):040x}"
        self._sealed: dict[bool, dict[str, Segment]] = {False: {}, True: {}}
        self._heads: list[str] = []
        self.facts: dict[bool, Facts] = {False: Counter(), True: Counter()}
        self.faults: dict[str, list[str]] = {name: [] for name in Faults._fields}

    def objects(self, opening: Session, told: Sequence[Session], events: int, days: int) -> Iterator[Object]:
        """Yield all that is put into the store for this repository: at least so many events, from so many days."""
        random = self._random
        chains = [Chain() for _ in range(random.randrange(1, _WORKTREES + 1))]
        chains += [Chain(late=True)] if random.random() < self._rates.late else []
        chains[0].add(*opening.play(random, BEGINNING_NS, None, "nobody"))
        chosen, count = [], len(chains[0].lines)
        while count < events:
            chosen.append(random.choice(told))
            count += len(chosen[-1].after_ns)
        for began, session in zip(sorted(self._moment(days) for _ in chosen), chosen, strict=True):
            chain = random.choice(chains)
            intent = None if random.random() < 0.15 else f"INT-{random.randrange(_INTENTS):04d}"
            entries, facts = session.play(random, began, intent, f"person-{random.randrange(_PEOPLE)}")
            if chain.is_full_with(entries):
                yield from self._seal(chain)
            chain.add(entries, facts)
            if len(chain.lines) > random.expovariate(1 / _SEALED_AT):
                yield from self._seal(chain)
        for chain in chains:
            if chain.lines:
                yield from self._seal(chain)
        yield self._head(late=False)
        if self._sealed[True]:
            yield self._head(late=True)

    def _moment(self, days: int) -> int:
        """Return when a session begins: on a day of work, in the hours of work of somebody somewhere."""
        random = self._random
        day = random.randrange(max(days * 5 // 7, 1))
        hour = random.triangular(6, 22, 14)
        return BEGINNING_NS + (day // 5 * 7 + day % 5) * 24 * _HOUR_NS + int(hour * _HOUR_NS)

    def _seal(self, chain: Chain) -> Iterator[Object]:
        """Yield the segment of a tail, and what else becomes of it."""
        own = [] if chain.name is None else [chain.name]
        knows_all = not chain.late and self._random.random() < 0.8
        parents = sorted({*own, *self._heads}) if knows_all else own
        segment, content = chain.seal(parents)
        first = not self._sealed[False]
        fault = None if chain.late else self._fault(first=first, alone=parents == own)
        if fault != "damaged":
            self.facts[chain.late].update(chain.facts)
        yield self._object(segment, _damaged(content, self._random) if fault == "damaged" else content, chain.late)
        if fault is not None:
            self.faults[fault].append(segment.name)
        if fault == "doubled":
            copy = Chain()
            copy.add(chain.entries, chain.facts)
            yield self._object(*copy.seal([name for name in parents if name not in own]), chain.late)
        if fault == "rewritten":
            yield self._object(*chain.seal(own), chain.late)
            chain.name = segment.name
        chain.clear()

    def _fault(self, *, first: bool, alone: bool) -> str | None:
        rates = self._rates
        at = self._random.random()
        if at < rates.doubled:
            return "doubled"
        if at < rates.doubled + rates.rewritten:
            return None if alone else "rewritten"
        return "damaged" if at < rates.doubled + rates.rewritten + rates.damaged and not first else None

    def _object(self, segment: Segment, content: bytes, late: bool) -> Object:
        self._sealed[late][segment.name] = segment
        if late:
            self.faults["late"].append(segment.name)
        else:
            self._heads = sorted({*self._heads, segment.name} - {*segment.parents})
        return Object(f"segments/repo={self.repo_id}/{segment.name}.jsonl", content, late)

    def _head(self, *, late: bool) -> Object:
        """Return the checkpoint that the last push leaves; with what is late, that of all."""
        known = self._sealed[False] | (self._sealed[True] if late else {})
        content = checkpoint.render(checkpoint.compose(known, checkpoint.origin(known, None)))
        return Object(f"heads/repo={self.repo_id}/{sha256(content).hexdigest()}.txt", content, late)


def _damaged(content: bytes, random: Random) -> bytes:
    """Return bytes with one changed, or cut off, or gone altogether."""
    at = random.randrange(len(content))
    changed = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
    return random.choice((changed, content[:at], b""))
