"""Read the payload of a hook from where the agent put it, and decode it as agents really send it."""

import json
import os
import select
import time
from typing import Any

from linetrail.ledger.errors import PayloadError

# Where a pipe is never closed, what has arrived by then is taken as the payload.
STDIN_SECONDS = 0.5
MAX_PAYLOAD_BYTES = 16 * 1024 * 1024


def read(fd: int) -> bytes:
    """Return what can be read until the other side closes it, of what is too long only so much that this shows.

    The rest is read, too: an agent that cannot get rid of its payload takes the hook for broken.
    """
    end = time.monotonic() + STDIN_SECONDS
    chunks: list[bytes] = []
    size = 0
    while (left := end - time.monotonic()) > 0:
        if not select.select([fd], [], [], left)[0]:
            break
        chunk = os.read(fd, 1 << 20)
        if not chunk:
            break
        if size <= MAX_PAYLOAD_BYTES:
            chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def decode(payload: bytes) -> dict[str, Any]:
    """Read a payload as agents really send them: byte order marks, UTF-16, raw control characters in strings."""
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise PayloadError(f"payload longer than {MAX_PAYLOAD_BYTES} bytes")
    try:
        text = payload.decode(json.detect_encoding(payload)).removeprefix("\ufeff")
        fields = json.loads(text, strict=False)
        fields = _whole_characters(fields) if "\\ud" in text.lower() else fields
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"payload is not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise PayloadError(f"payload is a JSON {type(fields).__name__}, not an object")
    return fields


def _whole_characters(value: Any) -> Any:
    """Replace halves of characters, which an agent leaves where it cuts a text short, as JavaScript writes them."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {_whole_characters(key): _whole_characters(item) for key, item in value.items()}
    return [_whole_characters(item) for item in value] if isinstance(value, list) else value
