"""Commit to a text that is not stored, in a way that can be taken back: a hash over a random salt and the text.

A line of the ledger stays for ever, and whoever has a plain hash of a short text finds the text by trying. So the
line has the salted hash, and the salt stays on this machine, beside the key of the marks. With it anybody who has the
text can show that it is the one; erased, the hash in the line says nothing to anybody. One salt for each text, since
a key for the whole repository could not be taken away from one text alone.

The salts of a session are one file of records, each appended by one write: the event's id, the salt, and what came of
them. An erased salt is overwritten with zeros; what came of it stays, so that the same record read again is the same.
"""

import contextlib
import os
import re
from collections.abc import Collection
from typing import Any

from linetrail.ledger.event.event import Event
from linetrail.ledger.files import PRIVATE_FILE, make_folder, sha256, sync
from linetrail.ledger.redact.redactor import without_fingerprints

SALTS, SALT_BYTES = "salts", 32
ERASED = b"0" * (2 * SALT_BYTES)
_OF_ONE_TELLING = frozenset({"commitment", "hook_us", "unscanned"})
_RECORD = re.compile(rb"([0-9a-f-]{36}) ([0-9a-f]{64}) ([0-9a-f]{64})\n")
_NOFOLLOW = os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)


def committed(event: Event, text: str, folder: str | None) -> Event:
    """Return the event with a commitment to a text; as it is where no salt can be kept."""
    found = folder and _commitment(folder, event, text)
    return event._replace(data=event.data | {"commitment": f"sha256:{found}"}) if found else event


def erase(folder: str, session_id: str | None, events: Collection[str]) -> set[str]:
    """Overwrite the salts of these events of a session, and return the events that had one; on the disk on return."""
    erased = set()
    with contextlib.suppress(FileNotFoundError):
        fd = os.open(_file(folder, session_id), os.O_RDWR | _NOFOLLOW)
        try:
            for record in _RECORD.finditer(_content(fd)):
                event_id = record[1].decode()
                if event_id in events and record[2] != ERASED:
                    os.pwrite(fd, ERASED, record.start(2))
                    erased.add(event_id)
            sync(fd)
        finally:
            os.close(fd)
    return erased


def opening(folder: str | None, event: Event, text: str) -> bytes | None:
    """Return what the commitment of an event is the hash of; None where the salt is not here, or not any more."""
    with contextlib.suppress(OSError):
        fd = os.open(_file(folder or "", event.session_id), os.O_RDONLY | _NOFOLLOW)
        try:
            for record in _RECORD.finditer(_content(fd)):
                if record[1].decode() == event.id and record[2] != ERASED:
                    return bytes.fromhex(record[2].decode()) + text.encode(errors="replace")
        finally:
            os.close(fd)
    return None


def salted(folder: str, session_id: str | None) -> dict[str, bool]:
    """Return the events of a session that got a salt here, each with whether it is still there."""
    try:
        fd = os.open(_file(folder, session_id), os.O_RDONLY | _NOFOLLOW)
    except OSError:
        return {}
    try:
        return {record[1].decode(): record[2] != ERASED for record in _RECORD.finditer(_content(fd))}
    finally:
        os.close(fd)


def comparable(event: Event) -> Event:
    """Return an event without what differs from machine to machine: its place, its commitment, its fingerprints.

    The same record, imported in two clones, is the same event under two keys. Two hooks that tell the same take
    different times.
    """
    data = {name: _bare(value) for name, value in event.data.items() if name not in _OF_ONE_TELLING}
    return event._replace(data=data, seq=None, prev=None)


def _commitment(folder: str, event: Event, text: str) -> str | None:
    """Return what is on record for an event; of two processes that come first, one is, and both return its."""
    path = _file(folder, event.session_id)
    with contextlib.suppress(OSError):
        make_folder(os.path.dirname(path))
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _NOFOLLOW, PRIVATE_FILE)
        try:
            return _on_record(fd, event.id) or _recorded(fd, event.id, text)
        finally:
            os.close(fd)
    return None


def _recorded(fd: int, event_id: str, text: str) -> str | None:
    salt = os.urandom(SALT_BYTES)
    made = sha256(salt + text.encode(errors="replace")).hexdigest()
    os.write(fd, f"{event_id} {salt.hex()} {made}\n".encode())
    return _on_record(fd, event_id)


def _on_record(fd: int, event_id: str) -> str | None:
    content = _content(fd)
    record = _RECORD.match(content, max(content.find(event_id.encode() + b" "), 0))
    return record[3].decode() if record and record[1] == event_id.encode() else None


def _content(fd: int) -> bytes:
    return os.pread(fd, os.fstat(fd).st_size, 0)


def _file(folder: str, session_id: str | None) -> str:
    name = sha256((session_id or "").encode(errors="replace")).hexdigest()[:32]
    return os.path.join(folder, SALTS, name)


def _bare(value: Any) -> Any:
    if isinstance(value, str):
        return without_fingerprints(value)
    if isinstance(value, dict):
        return {name: _bare(item) for name, item in value.items()}
    return [_bare(item) for item in value] if isinstance(value, list | tuple) else value
