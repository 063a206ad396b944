"""One repository of a fleet: weeks of work in several worktrees, sealed as it goes, and what goes wrong on the way.

A segment is *doubled* where another branch has the same events in a chain of its own, *rewritten* where it was sealed
again on other parents, *late* where its worktree pushes after all others, *damaged* where the store lost some of it,
*nameless* where no key was at hand to say by a pseudonym whose worktree it is from.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from linetrail.ledger.event.event import GENESIS, line_digest
from linetrail.ledger.files import sha256
from linetrail.ledger.log import checkpoint, segments
from linetrail.ledger.log.chain import FULL_BYTES, FULL_EVENTS, Line
from linetrail.ledger.log.segments import Segment
from tests.fleet.sessions import Entry, Facts, Session

BEGINNING_NS = 1_767_571_200_000_000_000  # Monday, 2026-01-05
_HOUR_NS = 3_600_000_000_000
# A repository has up to so many worktrees, each of one of so many people, who work on several repositories.
_WORKTREES, _COMPANY, _INTENTS = 12, 200, 40
_OWNERS = b"* @acme/platform\n" + b"".join(
    b"/src/package_%d/ @acme/team-%d\n" % (number, number % 4) for number in range(0, 20, 2)
)
_SEALED_AT = 1_200  # events, on average


class Faults(NamedTuple):
    """How likely it is for a segment to be doubled, rewritten, damaged, nameless; for a worktree to be late."""

    doubled: float = 0.03
    rewritten: float = 0.03
    damaged: float = 0.005
    nameless: float = 0.02
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

    def __init__(self, person: str, *, late: bool = False) -> None:
        self.person, self.late = person, late
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
        chains = [Chain(self._person()) for _ in range(random.randrange(1, _WORKTREES + 1))]
        chains += [Chain(self._person(), late=True)] if random.random() < self._rates.late else []
        chains[0].add(*opening.play(random, BEGINNING_NS, intent=None, person="nobody", contents=_digits(random)))
        chosen, count, first = [], len(chains[0].lines), random.randrange(len(told))
        while count < events:
            chosen.append((first + len(chosen)) % len(told))
            count += len(told[chosen[-1]].after_ns)
        contents = _digits(random)
        for began, which in zip(sorted(self._moment(days) for _ in chosen), chosen, strict=True):
            chain = random.choice(chains)
            contents = _digits(random) if which == 0 else contents
            intent = None if random.random() < 0.15 else f"INT-{random.randrange(_INTENTS):04d}"
            entries, facts = told[which].play(random, began, intent=intent, person=chain.person, contents=contents)
            if chain.is_full_with(entries):
                yield from self._seal(chain)
            chain.add(entries, facts)
            if len(chain.lines) > random.expovariate(1 / _SEALED_AT):
                yield from self._seal(chain)
        for chain in chains:
            if chain.lines:
                yield from self._seal(chain)
        yield Object(f"owners/repo={self.repo_id}/{count:012}-{sha256(_OWNERS).hexdigest()}.txt", _OWNERS)
        yield self._head(late=False)
        if self._sealed[True]:
            yield self._head(late=True)

    def _person(self) -> str:
        """Return the pseudonym of somebody who works here."""
        return sha256(b"%d" % self._random.randrange(_COMPANY)).hexdigest()[:16]

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
        person = None if self._random.random() < self._rates.nameless else chain.person
        if fault != "damaged":
            self.facts[chain.late].update(chain.facts)
            if person is not None:
                self.facts[chain.late]["person", person] += chain.facts["sessions", ""]
        yield self._object(segment, _damaged(content, self._random) if fault == "damaged" else content, chain.late)
        made = [segment]
        if fault is not None:
            self.faults[fault].append(segment.name)
        if fault == "doubled":
            copy = Chain(chain.person)
            copy.add(chain.entries, chain.facts)
            other, content = copy.seal([name for name in parents if name not in own])
            made.append(other)
            yield self._object(other, content, chain.late)
        if fault == "rewritten":
            other, content = chain.seal(own)
            made.append(other)
            yield self._object(other, content, chain.late)
            chain.name = segment.name
        for one in made:
            if person is not None:
                yield Object(f"people/repo={self.repo_id}/{one.name}.{person}", b"", chain.late)
            else:
                self.faults["nameless"].append(one.name)
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


def _digits(random: Random) -> str:
    return f"{random.getrandbits(32):08x}"


def _damaged(content: bytes, random: Random) -> bytes:
    """Return bytes with one changed, or cut off, or gone altogether."""
    at = random.randrange(len(content))
    changed = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
    return random.choice((changed, content[:at], b""))
