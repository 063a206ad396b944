"""Write traces and logs as the OpenTelemetry collector reads them: one request of OTLP/JSON a line.

The same ledger gives the same bytes: ids are hashes of names in the ledger, and nothing of the machine or the moment
is in them. What is held at once does not grow with the ledger, but for calls that never ended.
"""

import json
from array import array
from bisect import bisect_left
from collections import OrderedDict, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC
from importlib.metadata import version
from typing import Any

from linetrail.ledger.errors import UsageError
from linetrail.projections.tables.progress import each
from linetrail.projections.tables.tables import Tables, bounded, named
from linetrail.queries.exporters.formats import Asked
from linetrail.queries.exporters.otlp import otlp_json as otlp
from linetrail.queries.exporters.otlp.otlp_events import OUTCOMES, SPANNED, Event, Made, Session, envelope
from linetrail.queries.exporters.otlp.otlp_json import INFO, WARN, Json, attributes, logs_request, spans_request
from linetrail.queries.exporters.otlp.otlp_logs import FIELDS, changes, is_warning, said_by
from linetrail.queries.exporters.otlp.otlp_spans import answer, conversation, tool_call
from linetrail.queries.exporters.output import write_lines
from linetrail.queries.statements import statement

# The version of the GenAI conventions that is written, as they name it themselves; all of it is in development, so
# another version is another format. OTEL_SEMCONV_STABILITY_OPT_IN chooses between versions and so changes nothing.
SCHEMA_URL = "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev"
SERVICE = "linetrail"
# Spans or log records in one request.
BATCH = 500
# Events that are looked at in one go: half of the longest stretch that is kept in one file.
WINDOW = 16_384
# What the database may take, of the 300 MB that an export of any size stays below.
MEMORY = "128MB"

_ALIKE = "select session_id from sessions where starts_with(session_id, $session) order by session_id limit 3"
_FINAL = "select position from token_usage order by position"
_READ = sorted({*FIELDS, "tool.requested", "tool.completed", "tool.failed", "usage.recorded"})
# Calls that ended, whose span a later event may still name.
MAX_ENDED = 20_000
_VERDICT = "linetrail.verdict"

Call = tuple[str | None, str]


class Stream:
    """Remembers tool calls from their request to their end, and nothing else from one event to the next.

    `final` are the positions of the records of usage that count: of one answer only the last does.
    """

    def __init__(self, final: Container[int], *, content: bool) -> None:
        self._final, self._content = final, content
        self._running: dict[Call, Event] = {}
        self._verdicts: dict[Call, str] = {}
        self._ended: OrderedDict[Call, str] = OrderedDict()

    def spans(self, event: Event) -> Iterator[Made]:
        if event.type == "tool.requested":
            self._running.setdefault(_call(event), event)
        elif event.type in OUTCOMES:
            yield self._end(event)
        elif event.type == "usage.recorded" and event.position in self._final:
            yield answer(event)

    def records(self, event: Event, files: Sequence[Mapping[str, Any]]) -> Iterator[Made]:
        """Yield the log records of an event that is no part of a span; `files` are those that it saw change."""
        if event.type in SPANNED:
            return
        said = envelope(event) | said_by(event.type, event.data, content=self._content)
        call = _call(event) if event.tool_call_id else None
        if call in self._running and said.get(_VERDICT):
            self._verdicts[call] = said[_VERDICT]
        severity = WARN if is_warning(event.type, event.data) else INFO
        for file in changes(files) or [{}]:
            record = otlp.record(
                time=event.time,
                name=f"linetrail.{event.type}",
                severity=severity,
                trace=event.trace if event.session else None,
                own=self._span_of(call),
                said=said | file,
            )
            yield Made(event.time, record)

    def rest(self) -> Iterator[Made]:
        """Yield the spans of calls whose end was never seen."""
        for call, request in self._running.items():
            yield tool_call(request, request, self._verdicts.get(call), content=self._content)
        self._running.clear()

    def _end(self, outcome: Event) -> Made:
        call = _call(outcome)
        first = self._running.pop(call, outcome)
        self._ended[call] = otlp.span_id(first.id)
        if len(self._ended) > MAX_ENDED:
            self._ended.popitem(last=False)
        return tool_call(first, outcome, self._verdicts.pop(call, None), content=self._content)

    def _span_of(self, call: Call | None) -> str | None:
        if call is None:
            return None
        return otlp.span_id(self._running[call].id) if call in self._running else self._ended.get(call)


def export(asked: Asked) -> None:
    """Write first the sessions, then what happened in them, in the order of the ledger."""
    with bounded(asked.repository, MEMORY) as tables:
        tables.connection.execute("set threads = 2")  # each takes memory of its own
        session = None if asked.session is None else _session(tables, asked.session)
        write_lines(asked, _requests(tables, session, asked), "request")


def _session(tables: Tables, begins: str) -> str:
    found = [name for (name,) in tables.ask(_ALIKE, {"session": begins}).rows]
    if begins not in found and len(found) != 1:
        raise UsageError(f"{'more than one' if found else 'no'} session begins with {begins}")
    chosen: str = begins if begins in found else found[0]
    return chosen


class _Batches:
    """Spans and log records on their way into requests: one kind in each, so many at once."""

    def __init__(self) -> None:
        self._resource = {"attributes": attributes({"service.name": SERVICE})}
        self._scope = {"name": SERVICE, "version": version(SERVICE)}
        self._spans: list[Json] = []
        self._records: list[Json] = []

    def add(self, made: Json, *, is_span: bool) -> Iterator[bytes]:
        """Take one, and yield a request when there are enough."""
        (self._spans if is_span else self._records).append(made)
        yield from self.full(BATCH)

    def full(self, least: int) -> Iterator[bytes]:
        """Yield a request of each kind of which there are at least so many."""
        for wrapped, waiting in ((spans_request, self._spans), (logs_request, self._records)):
            if len(waiting) >= least:
                request = wrapped(self._resource, self._scope, SCHEMA_URL, waiting)
                yield json.dumps(request, separators=(",", ":")).encode() + b"\n"
                waiting.clear()


def _requests(tables: Tables, session: str | None, asked: Asked) -> Iterator[bytes]:
    since = 0 if asked.since is None else int(asked.since.replace(tzinfo=UTC).timestamp() * 1_000_000) * 1_000
    batches = _Batches()
    for is_span, made in _made(tables, session, content=asked.content):
        if made.time >= since:
            yield from batches.add(made.json, is_span=is_span)
    yield from batches.full(1)


def _made(tables: Tables, session: str | None, *, content: bool) -> Iterator[tuple[bool, Made]]:
    """Yield spans, which are told by True, and log records."""
    for row in _rows(tables, statement("otlp_sessions"), {"session": session}):
        started, ended, last = row[6:9]
        yield True, conversation(Session._make((*row[:6], _ns(started), ended and _ns(ended), _ns(last), row[9])))
    stream = Stream(_final(tables), content=content)
    for event, files in _events(tables, session):
        yield from ((True, made) for made in stream.spans(event))
        yield from ((False, made) for made in stream.records(event, files))
    yield from ((True, made) for made in stream.rest())


def _events(tables: Tables, session: str | None) -> Iterator[tuple[Event, list[Mapping[str, Any]]]]:
    """Yield every event with the files that it saw change, one window of the ledger at a time."""
    ((end,),) = tables.ask("select coalesce(max(position), 0) from events").rows
    windows = range(1, end + 1, WINDOW)
    for first in each(windows, "exporting", f"stretches of {WINDOW:,} events"):
        asked = {"first": first, "last": first + WINDOW - 1, "session": session}
        files: defaultdict[int, list[Mapping[str, Any]]] = defaultdict(list)
        for file in tables.ask(statement("otlp_files"), asked).mappings():
            files[file["position"]].append(file)
        for row in _rows(tables, statement("otlp_events"), {**asked, "read": _READ}):
            data = json.loads(row[13]) if row[13] else {}
            yield Event._make((*row[:2], _ns(row[2]), *row[3:13], data)), files.pop(row[0], [])


def _rows(tables: Tables, sql: str, asked: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Yield rows as they are needed; another query may be asked meanwhile."""
    tables.show(named(sql))
    with closing(tables.connection.cursor()) as cursor:
        cursor.execute(sql, asked)
        while rows := cursor.fetchmany(2_000):
            yield from rows


class _Final:
    """Positions in a sorted array: eight bytes for each of a million answers."""

    def __init__(self, positions: Iterable[int]) -> None:
        self._positions = array("q", positions)

    def __contains__(self, position: object) -> bool:
        at = bisect_left(self._positions, position) if isinstance(position, int) else len(self._positions)
        return at < len(self._positions) and self._positions[at] == position


def _final(tables: Tables) -> _Final:
    return _Final(position for (position,) in _rows(tables, _FINAL, {}))


def _ns(microseconds: int | None) -> int:
    """Return nanoseconds; a time that no calendar has is 0, which OTLP reads as not known."""
    return (microseconds or 0) * 1_000


def _call(event: Event) -> Call:
    return event.session, event.tool_call_id or event.id
