"""Read single fields of a payload: what is missing is None, what is of another type than it may be is refused.

A field may be missing or of another type in any version of an agent. What says who asks for what has to be right, or
the payload is unusable; what only describes is left out when it cannot be read.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from linetrail.ledger.errors import PayloadError
from linetrail.ledger.event.signal import Edit, Proposal, Said
from linetrail.ledger.redact.redactor import excerpt
from linetrail.ledger.repository import native

MAX_ID = 256
# How deep in its arguments a tool looks for the names of files.
MAX_DEPTH = 4
# What calls of these kinds of operations do to the paths they name.
ROLES = {"write": "write", "edit": "edit", "delete": "delete", "read": "read"}


def text(payload: Mapping[str, Any], *keys: str) -> str | None:
    """Return the first of these fields that holds text; PayloadError where one holds something else."""
    for key in keys:
        value = payload.get(key)
        if value is not None and not isinstance(value, str):
            raise PayloadError(f"{key} is a {type(value).__name__}, not text")
        if value:
            return value
    return None


def first_text(payload: Mapping[str, Any], *keys: str) -> str | None:
    """Return the first of these fields that is text, whatever the others are."""
    return next((payload[key] for key in keys if isinstance(payload.get(key), str)), None)


def name(payload: Mapping[str, Any], *keys: str) -> str | None:
    """Read a word of the agent's that is stored as it is, however long, and whatever somebody put there."""
    value = text(payload, *keys)
    return None if value is None else excerpt(value)


def identifier(payload: Mapping[str, Any], *keys: str) -> str | None:
    """Read an id; one that is too long to be any is refused."""
    value = text(payload, *keys)
    if value is not None and len(value) > MAX_ID:
        key = next(key for key in keys if payload.get(key) == value)
        raise PayloadError(f"{key} has {len(value)} characters, {MAX_ID} are allowed")
    return value


def whole(value: Any) -> int | None:
    """Return a duration in whole milliseconds; agents send numbers of any kind, or digits."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 12:
        return int(value)
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12 else None


def part(payload: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Return the first of these fields that is an object, also one that was sent as JSON text; else an empty one."""
    for key in keys:
        value = payload.get(key)
        if isinstance(value, str) and value.lstrip()[:1] == "{":
            try:
                value = json.loads(value, strict=False)
            except (ValueError, RecursionError):
                continue
        if isinstance(value, dict):
            return value
    return {}


def arguments(payload: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Return what a call was given; a text that is no object, such as a patch, is the one `input`."""
    told = part(payload, *keys)
    text = next((value for key in keys if isinstance(value := payload.get(key), str)), "")
    return told if told or text.strip() in ("", "{}") else {"input": text}


def paths(arguments: Mapping[str, Any], keys: Iterable[str]) -> list[str]:
    """Return what every spelling of the keys that name files holds, at any place: of several, each has to be allowed.

    `keys` are spelled in lower case and without underscores.
    """
    return list(dict.fromkeys(_named(arguments, frozenset(keys), MAX_DEPTH)))


def _named(given: Any, keys: frozenset[str], depth: int, *, named: bool = False) -> Iterator[str]:
    """Yield the texts below keys of these names, also where a list is in the place of a text."""
    if isinstance(given, str):
        if given and named:
            yield given
    elif isinstance(given, list) and depth:
        for value in given:
            yield from _named(value, keys, depth - 1, named=named)
    elif isinstance(given, dict) and depth:
        for key, value in given.items():
            yield from _named(value, keys, depth - 1, named=key.replace("_", "").lower() in keys)


def targets(found: Iterable[str], operation: str) -> tuple[tuple[str, str], ...]:
    """Give each path the role that the operation gives it."""
    role = ROLES.get(operation, "other")
    return tuple((native(path), role) for path in found)


def started(cwd: str | None, place: str | None) -> str | None:
    """Return the folder that a command starts in, where the call may name one.

    >>> started("/project", "src")
    '/project/src'
    """
    is_whole = not place or place[0] in "/\\" or place[1:2] == ":"
    return place or cwd if is_whole or not cwd else f"{cwd}/{place}"


def replacement(old: Any, new: Any, every: Any = None) -> Edit | None:
    """Return one replacement; None where a text of it is missing."""
    return Edit(old, new, every is True or every == "true") if isinstance(old, str) and isinstance(new, str) else None


def proposal(content: Any, edits: Iterable[Edit | None] = ()) -> Proposal | None:
    """Return what a call on one file means to do: the whole new text, else replacements, all of which are known."""
    if isinstance(content, str):
        return Proposal(content=content)
    known = list(edits)
    return Proposal(edits=tuple(edit for edit in known if edit)) if known and all(known) else None


def answered(document: Mapping[str, Any]) -> Said:
    """Answer with a document, in one line of JSON."""
    return Said(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode(errors="replace"))


def refused(message: str | None) -> Said:
    """Refuse a call where an agent reads no JSON: by the exit status, with the reason on stderr."""
    return Said(stderr=f"{message}\n".encode(errors="replace"), exit_code=2)
