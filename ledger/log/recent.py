"""Find what was recorded last, reading only the end of the ledger: an agent waits.

The tail first, then the newest segments, until enough is found or enough was read. What lies further back is a
question for the projections.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from typing import BinaryIO

from linetrail.ledger.errors import EventError
from linetrail.ledger.event.event import Agent, from_line
from linetrail.ledger.log.store import TAIL
from linetrail.ledger.repository import Repository

MAX_BYTES = 256 * 1024
MAX_FILES = 4
BLOCK_BYTES = 16 * 1024


def changes(repository: Repository, intent_id: str, limit: int) -> list[str]:
    """Return the files last changed for an intent, the newest first, each with what happened to it and when."""
    found: dict[str, str] = {}
    mark = f'"intent_id":{json.dumps(intent_id, ensure_ascii=False)}'.encode()
    for line in lines(repository):
        if b'"type":"mutation.observed"' not in line or mark not in line:
            continue
        try:
            event = json.loads(line)
            files = [(file["path"], file["op"], event["timestamp"][:16]) for file in event["data"]["files"]]
        except (ValueError, KeyError, TypeError):
            continue
        for path, op, at in files:
            found.setdefault(path, f"{op} {path} {at}Z")
        if len(found) >= limit:
            break
    return list(found.values())[:limit]


def is_recorded(repository: Repository, event_type: str, word: str) -> bool:
    """Return whether an event of this type with this word in it stands near the end of the ledger."""
    kind, text = f'"type":"{event_type}"'.encode(), json.dumps(word, ensure_ascii=False).encode()
    return any(kind in line and text in line for line in lines(repository))


def agent_of(repository: Repository, session_id: str) -> Agent | None:
    """Return the agent that was last recorded in a session, as its hooks named it."""
    mark = f'"session_id":{json.dumps(session_id, ensure_ascii=False)}'.encode(errors="replace")
    for line in lines(repository):
        if mark not in line:
            continue
        with contextlib.suppress(EventError):
            event = from_line(line + b"\n")
            if event.session_id == session_id and event.agent is not None:
                return event.agent
    return None


def lines(repository: Repository) -> Iterator[bytes]:
    """Yield lines of the ledger, the last one first, as many as may be read."""
    left = MAX_BYTES
    for path in _files(repository):
        with contextlib.suppress(OSError), open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            yield from _backwards(file, size, left)
            left -= size
        if left <= 0:
            return


def _backwards(file: BinaryIO, size: int, most: int) -> Iterator[bytes]:
    """Yield the whole lines in the last bytes of a file, the last one first; what is asked for mostly stands there."""
    begun, at, end = b"", size, max(size - most, 0)
    while at > end:
        start = max(at - BLOCK_BYTES, end)
        file.seek(start)
        begun, *whole = (file.read(at - start) + begun).split(b"\n")
        yield from reversed(whole)
        at = start
    if not end:
        yield begun


def _files(repository: Repository) -> Iterator[str]:
    yield os.path.join(repository.folder, TAIL)
    from linetrail.ledger.log.segments import SEGMENTS  # for what does not stand in the tail

    try:
        sealed = [entry for entry in os.scandir(os.path.join(repository.folder, SEGMENTS)) if entry.is_file()]
        sealed.sort(key=lambda entry: (entry.stat().st_mtime_ns, entry.name), reverse=True)
    except OSError:
        sealed = []
    yield from (entry.path for entry in sealed[:MAX_FILES])
