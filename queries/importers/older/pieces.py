"""Read a file of JSON lines that other tools wrote, git merged, and somebody may have cut: piece by piece.

A piece is what one record takes of a line: all of it, unless records were glued together. Nothing is dropped in
silence: what is no record comes with the reason. Joined in order, the texts of a line's pieces are that line.
"""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from linetrail.queries.importers.older.json_text import unique_keys
from linetrail.queries.importers.transcript import MAX_LINE_BYTES, skipped

LATIN_1 = "latin-1"
_UNENDED = "Unterminated string"
_BOM = codecs.BOM_UTF8.decode()
_MARKERS = ("<<<<<<< ", "||||||| ", "=======", ">>>>>>> ")
_SPACE = re.compile(r"[ \t\r\v\f]*")


class Piece(NamedTuple):
    """A stretch of a line. `fields` is the record, `reason` why there is none; `text` is None when it was too long."""

    line: int
    text: str | None
    fields: dict[str, Any] | None = None
    reason: str | None = None
    encoding: str | None = None
    unended: bool = False


class Raw(NamedTuple):
    """A line as it is in its file, line feed included; `content` is None when it is too long to be held."""

    number: int
    size: int
    content: bytes | None


def lines(path: str) -> Iterator[Raw]:
    """Yield the lines of a file, each with its number from 1."""
    with open(path, "rb") as file:
        number = 0
        while content := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(content) > MAX_LINE_BYTES:
                yield Raw(number, len(content) + skipped(file, content), None)
            else:
                yield Raw(number, len(content), content)


def pieces(raw: Raw) -> Iterator[Piece]:
    """Yield what a line holds; of an empty line nothing."""
    if raw.content is None:
        yield Piece(raw.number, None, reason=f"longer than {MAX_LINE_BYTES} bytes")
        return
    ended = raw.content.removesuffix(b"\n")
    for piece in _pieces(raw.number, ended):
        yield piece._replace(unended=ended == raw.content)


def is_marker(text: str) -> bool:
    r"""Return whether this is a line that git puts around what it could not merge.

    >>> is_marker("<<<<<<< HEAD"), is_marker("=======\r"), is_marker('{"id": "<<<<<<< "}')
    (True, True, False)
    """
    return text.startswith(_MARKERS) and (text[0] != "=" or not text.strip("=\r"))


def _pieces(number: int, content: bytes) -> Iterator[Piece]:
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        reason = f"not UTF-8 at byte {error.start}"
        yield Piece(number, content.decode(LATIN_1), reason=reason, encoding=LATIN_1)
        return
    at = 0
    while at < len(text):
        start = _record_start(text, at)
        if start == len(text):
            return
        try:
            fields, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            yield Piece(number, text[at:], reason=_why(text[at:], error))
            return
        end = _after_space(text, end)
        if not isinstance(fields, dict):
            yield Piece(number, text[at:], reason="not a JSON object")
            return
        yield Piece(number, text[at:end], fields)
        at = end


def _record_start(text: str, at: int) -> int:
    if at == 0 and text.startswith(_BOM):
        at = len(_BOM)
    return _after_space(text, at)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _why(text: str, error: Exception) -> str:
    if is_marker(text):
        return "git conflict marker"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, json.JSONDecodeError) and (
        error.pos >= len(error.doc.rstrip()) or error.msg.startswith(_UNENDED)
    ):
        return "cut short"
    return f"not JSON: {error}"[:100]


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no number")


_DECODER = json.JSONDecoder(object_pairs_hook=unique_keys, parse_constant=_no_constant)
