"""Find the tool calls that hooks have seen start and not end: this process runs inside one of them."""

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from linetrail.ledger.errors import EventError
from linetrail.ledger.event.event import Event, from_line
from linetrail.ledger.log import recent
from linetrail.ledger.repository import Repository

# A hook comes right before its call; what it heard longer ago was another call, whose end nobody heard.
OPEN_SECONDS = 30.0


def open_calls(repository: Repository, is_meant: Callable[[Mapping[str, Any]], bool]) -> Iterator[Event]:
    """Yield the request events of calls that have neither ended nor been denied, the latest first.

    `is_meant` is asked about the data of each event; of those that tell of an end, a call is known by its tool alone.
    """
    over: set[tuple[str | None, object]] = set()
    for line in recent.lines(repository):
        if b'"type":"tool.' not in line and b'"type":"gate.decided"' not in line:
            continue
        with contextlib.suppress(EventError, ValueError, TypeError):
            event = from_line(line + b"\n")
            call = (event.session_id, event.data.get("tool_call_id") or event.data.get("tool_name"))
            if event.type == "gate.decided":
                stopped = event.data.get("verdict") == "deny" and event.data.get("enforced")
                over |= {call} if stopped else set()
            elif event.type != "tool.requested":
                over.add(call)
            elif call not in over and _age(event) < OPEN_SECONDS and is_meant(event.data):
                yield event


def _age(event: Event) -> float:
    return time.time() - datetime.fromisoformat(event.timestamp).timestamp()
