"""Sessions of agents as ledgers have them, made once and played again, with ids, times and hashes of their own.

What is the same each time is kept as text, so that ten million events are a matter of filling in.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import NamedTuple

from benchmarks.ledgers import AGENT, PROMPTS, Audited
from linetrail.ledger.event.event import GENESIS, Agent, Event, derived_id, id_time_ns, rfc3339, to_line

AGENTS = (
    AGENT,
    Agent("claude-code", "2.1.300", "anthropic/claude-sonnet-5"),
    Agent("codex", "0.98.0", "openai/gpt-6-sol"),
    Agent("cursor", "3.2.1", "anthropic/claude-sonnet-5"),
    Agent("gemini-cli", "1.4.0", "google/gemini-3.1-pro"),
)
# The first sessions make the files that later ones change.
_WARM_UP = 120
_TOKENS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
# The first half of what is no less than the hash of a line.
_HEX = re.compile(rb"(?<![0-9a-f])[0-9a-f]{8}(?=[0-9a-f]{8})")
_AGENT = re.compile(rb'"agent":\{[^}]*\}')
_INTENT = re.compile(rb'"intent_id":"[^"]*"')
_PERSON = b"Ana <ana@example.org>"

Facts = Counter[tuple[str, str]]


class Entry(NamedTuple):
    """An event that has no place in a chain yet; `rest` is its line from the type on."""

    id: str
    timestamp: str
    rest: bytes


class Session(NamedTuple):
    """A session to be played: its lines, when each is written, which names the id of which other one, what it adds."""

    lines: bytes
    after_ns: Sequence[int]
    names: Sequence[tuple[int, int]]
    facts: Facts

    def play(
        self, random: Random, began_ns: int, *, intent: str | None, person: str, contents: str
    ) -> tuple[list[Entry], Facts]:
        """Return the events of this session, begun at a time, and what they add up to.

        Sessions played in their order with the same `contents`, eight digits, each find the files as the last one left
        them.
        """
        agent, tag = random.choice(AGENTS), f"{random.getrandbits(32):08x}"
        told = {
            b"@tag@": tag,
            b"@contents@": contents,
            b"@session@": derived_id(began_ns, tag),
            b"@agent@": json.dumps(agent._asdict(), separators=(",", ":")),
            b"@model@": str(agent.model_id),
            b'"@intent@"': "null" if intent is None else f'"{intent}"',
            b"@person@": person,
        }
        lines = self.lines
        for mark, value in told.items():
            lines = lines.replace(mark, value.encode())
        rests = lines.split(b"\n")
        at = [began_ns + after for after in self.after_ns]
        ids = [_id(moment, random) for moment in at]
        for line, other in self.names:
            rests[line] = rests[line].replace(b"@id@", ids[other].encode())
        facts = Counter({(kind, name or str(getattr(agent, kind, ""))): n for (kind, name), n in self.facts.items()})
        facts["ids", ""] = sum(int(event_id[19:].replace("-", ""), 16) for event_id in ids)
        return [Entry(*one) for one in zip(ids, map(rfc3339, at), rests, strict=True)], facts


def sessions(seed: int, count: int) -> tuple[Session, list[Session]]:
    """Return how intents come to be written down, and so many sessions of different lengths."""
    groups = _groups(_Brief(seed).events())
    opening = next(groups)
    return _session(opening), [_session(one) for one in islice(groups, _WARM_UP, _WARM_UP + count)]


class _Brief(Audited):
    """Work in sessions most of which have few prompts."""

    def _prompts(self) -> int:
        return min(1 + int(self._random.expovariate(0.4)), PROMPTS)


def _groups(events: Iterator[Event]) -> Iterator[list[Event]]:
    """Yield what comes before the first session, then each session."""
    group: list[Event] = []
    for event in events:
        if event.type == "session.started":
            yield group
            group = []
        group.append(event)


def _session(events: Sequence[Event]) -> Session:
    began = id_time_ns(events[0].id)
    places = {event.id: at for at, event in enumerate(events)}
    named = [(at, places[event.data["mutation_id"]]) for at, event in enumerate(events) if "mutation_id" in event.data]
    return Session(
        b"\n".join(map(_marked, events)),
        [id_time_ns(event.id) - began for event in events],
        named,
        Counter(dict(_facts(events))),
    )


def _marked(event: Event) -> bytes:
    """Return the line of an event from its type on, with marks for what is another one each time."""
    data = event.data | ({"mutation_id": "@id@"} if "mutation_id" in event.data else {})
    line = to_line(event._replace(data=data), 0, GENESIS).rstrip(b"\n")
    rest = line[line.index(b'"type":') :].replace(_PERSON, b"@person@ <@person@@example.org>")
    if event.session_id is None:
        return rest
    rest = rest.replace(event.session_id.encode(), b"@session@").replace(event.session_id[-6:].encode(), b"@tag@")
    rest = _AGENT.sub(b'"agent":@agent@', _HEX.sub(b"@contents@", rest), count=1)
    rest = rest.replace(b'"model_id":"%s"' % str(AGENT.model_id).encode(), b'"model_id":"@model@"')
    return _INTENT.sub(b'"intent_id":"@intent@"', rest).replace(b'"intent_id":null', b'"intent_id":"@intent@"')


def _facts(events: Sequence[Event]) -> Iterator[tuple[tuple[str, str], int]]:
    """Yield what is counted of a session; a name left empty is that of its agent or model."""
    yield from ((("type", name), count) for name, count in Counter(event.type for event in events).items())
    yield ("events", ""), len(events)
    yield ("refused", ""), sum(event.data.get("verdict") == "deny" for event in events)
    if events[0].session_id is None:
        return
    yield ("sessions", ""), 1
    yield ("name", ""), len(events)
    usage = {event.data["usage_key"]: event.data for event in events if event.type == "usage.recorded"}
    yield ("model_id", ""), sum(data[kind] for data in usage.values() for kind in _TOKENS)


def _id(unix_ns: int, random: Random) -> str:
    """Return a UUIDv7."""
    bits = random.getrandbits(74)
    ms = f"{unix_ns // 1_000_000:012x}"
    tail = f"{8 << 60 | bits >> 12 & (1 << 62) - 1:016x}"
    return f"{ms[:8]}-{ms[8:]}-7{bits & 0xFFF:03x}-{tail[:4]}-{tail[4:]}"
