"""Append lines to the ledger and read them back.

One file of JSON lines, each carrying the hash of the one before. A line is never changed once its newline is
on disk. A last line without a newline is a write that never finished: readers skip it, and the next append
first moves it to ``quarantine/``, so no byte is lost. Appending is safe from many processes at once: lock,
read the end, one write, unlock, sync, and only then is the caller told.
"""

import contextlib
import errno
import os
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.errors import (
    EventError,
    IntegrityError,
    LockTimeoutError,
    StorageError,
)
from linetrail.ledger.event import GENESIS, MAX_LINE_BYTES, VERSION, Agent, Event, from_line, line_digest, new_id, rfc3339, to_line
from linetrail.ledger.repository import Repository

TAIL = "agent_trace.jsonl"
LOCK_SECONDS = 2.0
APPENDED, ALREADY, SPOOLED = "appended", "already appended", "spooled"


class Receipt(NamedTuple):
    """What became of one event. `seq` is None while it waits in the spool."""

    id: str
    outcome: str
    seq: int | None


class Line(NamedTuple):
    """One stored line: where it begins in its file, its bytes, and the event it holds."""

    offset: int
    raw: bytes
    event: Event


class Head(NamedTuple):
    """The end of the chain: how many bytes are whole lines, and what the next line follows."""

    size: int
    seq: int
    digest: str


EMPTY = Head(0, 0, GENESIS)
