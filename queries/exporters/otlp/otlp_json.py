"""Spell spans and log records as OTLP/JSON: protobuf's JSON mapping, but with ids in hexadecimal.

Whole numbers of 64 bits are strings, enumerations are numbers, names are in lower camel case, and a field that says
nothing is left out.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

INTERNAL, CLIENT = 1, 3
ERROR = 2
INFO, WARN = (9, "INFO"), (13, "WARN")

Json = dict[str, Any]


def trace_id(session: str) -> str:
    """Name the trace of a session, the same in every export."""
    return _digest("trace", session, 16)


def session_span_id(session: str) -> str:
    return _digest("session", session, 8)


def span_id(event_id: str) -> str:
    return _digest("event", event_id, 8)


def attributes(said: Mapping[str, Any]) -> list[Json]:
    """Return attributes in the order given; what is not known is no attribute."""
    return [{"key": key, "value": value_of(value)} for key, value in said.items() if value is not None]


def value_of(value: Any) -> Json:
    """Return a value with the name of its kind.

    >>> value_of(True), value_of(12), value_of(["a"])
    ({'boolValue': True}, {'intValue': '12'}, {'arrayValue': {'values': [{'stringValue': 'a'}]}})
    """
    if isinstance(value, str):  # as most are
        return {"stringValue": value}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, list | tuple):
        return {"arrayValue": {"values": [value_of(item) for item in value]}}
    if isinstance(value, Mapping):
        return {"kvlistValue": {"values": attributes(value)}}
    return {"stringValue": str(value)}


def span(
    *,
    trace: str,
    own: str,
    parent: str | None,
    name: str,
    kind: int,
    times: tuple[int, int],
    said: Mapping[str, Any],
    status: Json | None = None,
    links: Sequence[Json] = (),
) -> Json:
    """Return one span. `times` are nanoseconds; an end before the start would be no span, so it is the start then."""
    start, end = times
    return {
        "traceId": trace,
        "spanId": own,
        **({"parentSpanId": parent} if parent else {}),
        "name": name,
        "kind": kind,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(max(start, end)),
        "attributes": attributes(said),
        **({"links": list(links)} if links else {}),
        "status": status or {},
    }


def record(
    *, time: int, name: str, severity: tuple[int, str], trace: str | None, own: str | None, said: Mapping[str, Any]
) -> Json:
    """Return one log record; without a span it belongs to a trace as a whole, without a trace to none."""
    number, text = severity
    return {
        "timeUnixNano": str(time),
        "observedTimeUnixNano": str(time),
        "severityNumber": number,
        "severityText": text,
        "eventName": name,
        "body": value_of(name),
        "attributes": attributes(said),
        **({"traceId": trace} if trace else {}),
        **({"spanId": own} if trace and own else {}),
    }


def spans_request(resource: Json, scope: Json, schema_url: str, spans: Iterable[Json]) -> Json:
    held = {"scope": scope, "spans": list(spans), "schemaUrl": schema_url}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [held], "schemaUrl": schema_url}]}


def logs_request(resource: Json, scope: Json, schema_url: str, records: Iterable[Json]) -> Json:
    held = {"scope": scope, "logRecords": list(records), "schemaUrl": schema_url}
    return {"resourceLogs": [{"resource": resource, "scopeLogs": [held], "schemaUrl": schema_url}]}


def _digest(kind: str, name: str, size: int) -> str:
    return hashlib.sha256(f"linetrail {kind}\0{name}".encode()).digest()[:size].hex()
