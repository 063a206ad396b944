"""Look through a transcript once, quickly, before it is read: when it begins, where it ran, what it touched.

Only text is searched here and nothing is parsed; a name in a quoted text has its quotes escaped and is not found.
"""

import json
import re
from typing import BinaryIO, NamedTuple

from linetrail.queries.importers.transcript import Counts, records

_CHUNK = 1024 * 1024
# A name that a border between two chunks cuts is found when the border's surroundings are looked at again.
_OVERLAP = 8 * 1024
# Paths enough to tell which folder was the repository.
_MAX_TOUCHED = 40
_TEXT = rb'":\s?"((?:[^"\\]|\\.){1,4096})"'
_CWD = re.compile(rb'"cwd' + _TEXT)
_TOUCHED = re.compile(rb'"(?:file_path|notebook_path|filePath)' + _TEXT)


class Survey(NamedTuple):
    """`start` is the time of the first record that has one, 0 when none has."""

    start: int
    cwd: str | None
    touched: frozenset[str]


def survey(path: str, touching: re.Pattern[bytes] = _TOUCHED) -> Survey:
    """Read as much of a transcript as it takes to know where it ran and what it touched."""
    with open(path, "rb") as file:
        return Survey(_start(path), *place(file, touching))


def place(file: BinaryIO, touching: re.Pattern[bytes] = _TOUCHED) -> tuple[str | None, frozenset[str]]:
    """Return where a transcript ran and what it touched, from as much of it as that takes."""
    cwd: str | None = None
    touched: set[str] = set()
    kept = b""
    while chunk := file.read(_CHUNK):
        text = kept + chunk
        if cwd is None and (found := _CWD.search(text)):
            cwd = _unquoted(found)
        touched.update(filter(None, map(_unquoted, touching.finditer(text))))
        if cwd is not None and len(touched) >= _MAX_TOUCHED:
            break
        kept = text[-_OVERLAP:]
    return cwd, frozenset(touched)


def recorded_cwd(path: str) -> str | None:
    """Return the folder that a transcript began in, from its beginning alone."""
    try:
        with open(path, "rb") as file:
            found = _CWD.search(file.read(_CHUNK))
    except OSError:
        return None
    return found and _unquoted(found)


def _start(path: str) -> int:
    return next((pending.time for pending in records(path, Counts(path)) if pending.time), 0)


def _unquoted(found: re.Match[bytes]) -> str | None:
    if b"\\" not in found.group(1) and found.group(1).isascii():
        return found.group(1).decode()
    try:
        text: str = json.loads(b'"' + found.group(1) + b'"')
    except ValueError:
        return None
    return text
