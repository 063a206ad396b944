"""Read from the end of the ledger when each agent was last recorded, how fast its hook was, and what was not known.

One reading of the last megabytes, whatever the length of the ledger; no projection is needed, none may be there.
"""

import contextlib
import math
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.event.event import Event, from_line
from linetrail.ledger.hook.loop import PATIENCE_SECONDS
from linetrail.ledger.repository import Repository, head
from linetrail.queries.doctor.calls import is_unknown
from linetrail.queries.doctor.finding import OK, WARNING, Finding
from linetrail.queries.doctor.health import ago, recent
from linetrail.queries.render.text import counted

# How many calls of an agent its pace is told of.
CALLS = 1000
SHOWN = 5
# What hooks alone record; a selection or a decision may come from a command, or from the server.
_OF_HOOKS = frozenset(
    {"session.started", "session.ended", "prompt.submitted", "agent.signalled"}
    | {"tool.requested", "tool.completed", "tool.failed"}
)
_REJECTED = b'"type":"payload.rejected"'
# More than half of what the hook has before it gives up.
SLOW_MS = 450


@dataclass
class Agent:
    """The recent events of one agent, which is known by its name in the ledger."""

    last: datetime | None = None
    version: str | None = None
    # microseconds that the hook took before calls, the last ones
    paces: deque[int] = field(default_factory=lambda: deque(maxlen=CALLS))
    # tools that are neither known to read nor to write, and events, with how often each came
    others: Counter[str] = field(default_factory=Counter)
    signals: Counter[str] = field(default_factory=Counter)

    def add(self, event: Event) -> None:
        self.last = datetime.fromisoformat(event.timestamp)
        if event.agent is not None and event.agent.version:
            self.version = event.agent.version
        name, pace = event.data.get("tool_name"), event.data.get("hook_us")
        if event.type == "tool.requested":
            if isinstance(pace, int) and not isinstance(pace, bool) and pace >= 0:
                self.paces.append(pace)
            if event.data.get("operation") == "other" and isinstance(name, str):
                self.others[name] += 1
        elif event.type == "agent.signalled" and isinstance(signal := event.data.get("signal"), str):
            self.signals[signal] += 1


def hear(repository: Repository) -> dict[str, Agent]:
    """Return what was heard of each agent lately; what cannot be read is passed over."""
    heard: dict[str, Agent] = {}
    here = head(repository)
    has_commits = bool(here and here.revision)
    for line in recent(repository).splitlines(keepends=True):
        with contextlib.suppress(LinetrailError, ValueError):
            event = from_line(line)
            if event.agent is not None and _is_from_hook(event, has_commits=has_commits):
                heard.setdefault(event.agent.name, Agent()).add(event)
    return heard


def rejected(repository: Repository) -> Iterator[Finding]:
    """Count the recent payloads that no hook could use, and give the reason of the last."""
    found: list[Event] = []
    for line in recent(repository).splitlines(keepends=True):
        if _REJECTED in line:
            with contextlib.suppress(LinetrailError, ValueError):
                found.append(from_line(line))
    if found:
        when, why = ago(datetime.fromisoformat(found[-1].timestamp)), found[-1].data.get("reason")
        message = f"{counted(len(found), 'payload')} could not be used, the last {when}: {why}"
        advice = "update linetrail where the agent was updated, or see what else calls the hook; payloads are not kept"
        yield Finding("payloads", WARNING, message, advice)


def _is_from_hook(event: Event, *, has_commits: bool) -> bool:
    """Return whether a hook recorded an event; an imported one has neither a commit nor how long the agent waited."""
    known = not has_commits or (event.vcs and event.vcs.revision) or "hook_us" in event.data
    return event.type in _OF_HOOKS and bool(known)


def last_events(heard: Mapping[str, Agent], hooked: Collection[str]) -> Iterator[Finding]:
    """Report when each agent was last recorded; one that never was is most often waiting for a person's trust."""
    for name, agent in sorted(heard.items()):
        version = f", version {agent.version}" if agent.version else ""
        yield Finding("last event", OK, f"{name}: {ago(agent.last)}{version}" if agent.last else name)
    waiting: dict[str, list[str]] = {}
    for name in dict.fromkeys(hooked):
        waiting.setdefault(CATALOGUE[name].file, []).append(name)
    # One file may serve several agents; nobody has to use all of them.
    for names in waiting.values():
        if not set(names) & set(heard):
            advice = CATALOGUE[names[0]].trust
            yield Finding("last event", WARNING, f"{' or '.join(names)}: not heard of yet", advice)
    if not heard and not hooked:
        yield Finding("last event", WARNING, "no agent was heard of yet", "linetrail init --agent NAME")


def pace(heard: Mapping[str, Agent]) -> Iterator[Finding]:
    """Report how long each agent waits for the hook before a call."""
    for name, agent in sorted(heard.items()):
        if not agent.paces:
            continue
        half, most = (percentile(agent.paces, share) / 1000 for share in (0.5, 0.95))
        calls = counted(len(agent.paces), "call")
        message = f"{name}: p50 {half:.1f} ms, p95 {most:.1f} ms in the hook of the last {calls}"
        row = CATALOGUE.get(name)
        limit = f"the agent waits {row.seconds:g} s" if row and row.seconds else "the agent states no limit"
        if most < SLOW_MS:
            yield Finding("pace", OK, f"{message}; {limit}")
        else:
            advice = "linetrail seal makes the tail short; see `file system` above"
            yield Finding("pace", WARNING, f"{message}; it gives up after {PATIENCE_SECONDS:g} s, {limit}", advice)


def strangers(heard: Mapping[str, Agent]) -> Iterator[Finding]:
    """Report tools and events that no adapter knows: they are recorded, and judged as if they might write."""
    for name, agent in sorted(heard.items()):
        tools = Counter({tool: count for tool, count in agent.others.items() if is_unknown(name, tool)})
        if tools:
            message = f"{name}: not known what these do, each call was recorded: {named(tools)}"
            advice = "if they only read, or write files, say so in config.yaml: tools: {safe: [...], writing: [...]}"
            yield Finding("unknown tools", WARNING, message, advice)
        known = CATALOGUE[name].events if name in CATALOGUE else ()
        signals = Counter({signal: count for signal, count in agent.signals.items() if signal not in known})
        if signals:
            yield Finding("unknown events", OK, f"{name}: recorded as they came: {named(signals)}")


def percentile(values: Collection[int], share: float) -> int:
    """Return the smallest value that this share of all values does not exceed.

    >>> percentile([10, 20, 30, 40], 0.5), percentile([10, 20, 30, 40], 0.95)
    (20, 40)
    """
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def named(counts: Counter[str]) -> str:
    """List names with how often each came, the most frequent first.

    >>> named(Counter({"b": 1, "a": 2}))
    'a (2), b (1)'
    """
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    more = f" and {len(ordered) - SHOWN} more" if len(ordered) > SHOWN else ""
    return ", ".join(f"{name} ({count})" for name, count in ordered[:SHOWN]) + more
