"""Read the text of a git-ai note: which lines of a commit's files agents and known people wrote.

Above a line `---` stand paths, each with its entries: two spaces, a key, a space, ranges of lines. Below it one JSON
object explains the keys. What is wrong in an entry costs that entry and is counted; only a note whose parts cannot be
told from one another says nothing at all.
"""

import json
import os
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.redact.redactor import scrub
from linetrail.ledger.repository import stored_path
from linetrail.queries.importers.older.json_text import unique_keys

VERSION = "authorship/3.0.0"
DIVIDER = "---"
# What the format calls an agent, and what we call it where that differs.
AGENTS = {
    "claude": "claude-code",
    "gemini": "gemini-cli",
    "github-copilot": "vscode-copilot",
    "github-copilot-cli": "copilot-cli",
    "droid": "factory-droid",
    "devin": "devin-cli",
}
# The model, where its writer did not know it.
UNKNOWN_MODEL = "unknown"
_MAX_LINE = 2**32 - 1
_MAX_KEY, _MAX_TEXT, _MAX_PATH = 120, 300, 4096
_RANGE = re.compile(r"([0-9]{1,10})(?:-([0-9]{1,10}))?")
_LEGACY = re.compile("[0-9a-f]{7}|[0-9a-f]{16}")
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_QUOTED = re.compile(r'(?:[^\\"]|\\(?:[0-3][0-7]{2}|[abtnvfr"\\]))*')
_ESCAPE = re.compile(rb'\\([0-3][0-7]{2}|[abtnvfr"\\])')

Fields = Mapping[str, Any]


class NoteError(ValueError):
    """A text that is no note of this format; the message says why."""


class Author(NamedTuple):
    """Who a key stands for, as far as the note says."""

    key: str
    contributor: str
    agent_name: str | None = None
    session_id: str | None = None
    model_id: str | None = None
    person: str | None = None


class Lines(NamedTuple):
    """First and last lines of the stretches under one key."""

    key: str
    ranges: tuple[tuple[int, int], ...]


class File(NamedTuple):
    """A file as the ledger spells its path, and who wrote which lines; where two have a line, the later one counts."""

    path: str
    by: tuple[Lines, ...]


class Note(NamedTuple):
    """What a note says. `passed_over` counts what could not be used, by reason."""

    base: str | None
    generator: str | None
    authors: Mapping[str, Author]
    files: Sequence[File]
    passed_over: Counter[str]


def read(text: str) -> Note:
    """Read a note; NoteError says why it cannot be read."""
    above, below = _halves(text)
    fields = _metadata(below)
    passed_over: Counter[str] = Counter()
    files = list(_files(above, passed_over))
    keys = dict.fromkeys(author_key(lines.key) for file in files for lines in file.by)
    known = {kind: _records(fields, kind, passed_over) for kind in ("sessions", "humans", "prompts")}
    return Note(
        base=_text(fields, "base_commit_sha"),
        generator=_text(fields, "git_ai_version"),
        authors={key: _author(key, known) for key in keys},
        files=files,
        passed_over=passed_over,
    )


def author_key(key: str) -> str:
    """Return the part of a key that stands for its author; what follows names a single call.

    >>> author_key("s_c9883b05a2487d::t_9f8e7d6c5b4a32")
    's_c9883b05a2487d'
    """
    return key.partition("::")[0]


def path_line(path: str) -> str:
    r"""Return a path of the ledger as a note spells it.

    The format asks for quotes around white space and has no escapes. What would break a line, or be read as another
    path, is escaped as git does it, which `read` understands.

    >>> path_line("src/main.rs"), path_line("my file"), path_line("a\nb")
    ('src/main.rs', '"my file"', '"a\\nb"')
    """
    if path.startswith('"'):
        return path
    spaced = path == DIVIDER or any(sign.isspace() for sign in path)
    if '"' in path or (spaced and "\\" in path) or not all(sign.isprintable() or sign == " " for sign in path):
        return f'"{"".join(map(_escaped, path))}"'
    return f'"{path}"' if spaced else path


def _halves(text: str) -> tuple[Sequence[str], str]:
    lines = text.split("\n")
    at = next((at for at, line in enumerate(lines) if line.removesuffix("\r") == DIVIDER), None)
    if at is None:
        raise NoteError("no line --- between lines and keys")
    return lines[:at], "\n".join(lines[at + 1 :])


def _metadata(text: str) -> Fields:
    try:
        fields = json.loads(text, object_pairs_hook=unique_keys)
    except RecursionError:
        raise NoteError("nested too deeply") from None
    except ValueError as error:
        raise NoteError(f"not JSON below ---: {error}"[:100]) from None
    if not isinstance(fields, dict):
        raise NoteError("no JSON object below ---")
    if fields.get("schema_version") != VERSION:
        raise NoteError(scrub(f"schema version {fields.get('schema_version')!r} is not {VERSION}")[:100])
    return fields


def _files(lines: Sequence[str], passed_over: Counter[str]) -> Iterator[File]:
    path: str | None = None
    by: list[Lines] = []
    for line in map(str.rstrip, lines):
        if line.startswith("  "):
            found = _entry(line[2:], passed_over)
            if path is not None and found is not None:
                by.append(found)
            elif found is not None:
                passed_over["an entry without a file"] += 1
        elif line:
            if path is not None and by:
                yield File(path, tuple(by))
            path, by = _path(line), []
            if path is None:
                passed_over["a path outside of the repository"] += 1
    if path is not None and by:
        yield File(path, tuple(by))


def _entry(text: str, passed_over: Counter[str]) -> Lines | None:
    key, _, told = text.partition(" ")
    if not (0 < len(key) <= _MAX_KEY and told):
        passed_over["an entry without key or lines"] += 1
        return None
    ranges = []
    for part in filter(None, told.split(",")):
        found = _range(part)
        if found is None:
            passed_over["a range of no lines"] += 1
        else:
            ranges.append(found)
    return Lines(_clean(key), tuple(ranges)) if ranges else None


def _range(text: str) -> tuple[int, int] | None:
    found = _RANGE.fullmatch(text)
    if found is None:
        return None
    first, last = int(found[1]), int(found[2] or found[1])
    return (first, last) if 1 <= first <= last <= _MAX_LINE else None


def _path(line: str) -> str | None:
    """Return a path as the ledger spells it; None where it is no file of a repository."""
    path = _unquoted(line)
    inside = posixpath.normpath(path) == path and path.split("/")[0] not in ("", ".", "..")
    return stored_path(path) if inside and "\0" not in path and len(path) <= _MAX_PATH else None


def _unquoted(line: str) -> str:
    """Undo quotes; within them git's escapes count where all are such, since the format itself knows none."""
    if not (len(line) > 1 and line.startswith('"') and line.endswith('"')):
        return os.fsdecode(line.encode())
    inner = line[1:-1]
    if "\\" not in inner or not _QUOTED.fullmatch(inner):
        return os.fsdecode(inner.encode())
    return os.fsdecode(_ESCAPE.sub(_unescaped, inner.encode()))


def _unescaped(found: re.Match[bytes]) -> bytes:
    sign = found[1].decode()
    return bytes([_ESCAPES[sign] if sign in _ESCAPES else int(sign, 8)])


def _escaped(sign: str) -> str:
    named = next((name for name, code in _ESCAPES.items() if code == ord(sign)), None)
    if named is not None:
        return f"\\{named}"
    return sign if sign.isprintable() else "".join(f"\\{byte:03o}" for byte in sign.encode())


def _author(key: str, known: Mapping[str, Fields]) -> Author:
    """Find the record that a key leads to: its beginning says in which map."""
    if key.startswith("h_"):
        return Author(key, "human", person=_text(_record(known["humans"], key), "author"))
    if key.startswith("s_"):
        return _agent(key, _record(known["sessions"], key))
    if key in known["prompts"] or _LEGACY.fullmatch(key):
        return _agent(key, _record(known["prompts"], key))
    return Author(key, "unknown")


def _agent(key: str, record: Fields) -> Author:
    told = _record(record, "agent_id")
    name, model = _text(told, "tool"), _text(told, "model")
    return Author(
        key,
        "ai",
        agent_name=AGENTS.get(name, name) if name else None,
        session_id=_text(told, "id"),
        model_id=None if model == UNKNOWN_MODEL else model,
    )


def _records(fields: Fields, kind: str, passed_over: Counter[str]) -> Fields:
    told = fields.get(kind)
    if told is not None and not isinstance(told, dict):
        passed_over[f"{kind} that is no object"] += 1
    return told if isinstance(told, dict) else {}


def _record(fields: Fields, key: str) -> Fields:
    told = fields.get(key)
    return told if isinstance(told, dict) else {}


def _text(fields: Fields, key: str) -> str | None:
    value = fields.get(key)
    return _clean(value) if isinstance(value, str) and value.strip() else None


def _clean(text: str) -> str:
    """Take secrets, halves of characters and NUL out of what becomes a fact."""
    return scrub(text.encode(errors="replace").decode().replace("\0", "\ufffd"))[:_MAX_TEXT]
