"""Follow events in the order of the ledger, and turn them into spans and log records; a session is a trace."""

from collections import OrderedDict
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from linetrail.queries.exporters.otlp import otlp_json as otlp
from linetrail.queries.exporters.otlp.otlp_events import OUTCOMES, SPANNED, Event, Made, envelope
from linetrail.queries.exporters.otlp.otlp_json import INFO, WARN
from linetrail.queries.exporters.otlp.otlp_logs import changes, is_warning, said_by
from linetrail.queries.exporters.otlp.otlp_spans import answer, tool_call

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
        """Yield the span that an event ends, if it ends one."""
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


def _call(event: Event) -> Call:
    return event.session, event.tool_call_id or event.id
