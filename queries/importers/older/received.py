"""Cut what was received so that it fits the events that keep it."""

import json
from collections.abc import Iterator
from typing import Any

# Of the 64 KB of a line: for what was received.
RAW_BYTES = 30_000


def weight(value: Any) -> int:
    """Return how many bytes a value takes in an event."""
    return len(json.dumps(value, ensure_ascii=False).encode()) + 1


def slices(text: str) -> Iterator[str]:
    """Cut a text into pieces that fit an event however much of it has to be escaped."""
    if weight(text) <= RAW_BYTES:
        yield text
        return
    half = len(text) // 2
    yield from slices(text[:half])
    yield from slices(text[half:])
