"""Edit JSON as text: put values in and take them out while every other byte stays.

A path is keys and indexes from the root. Where a key occurs twice the last one counts, as it does for the programs
that read the file. Text is strict JSON, checked once by `parse`; the edits rely on it.
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from json.decoder import scanstring  # type: ignore[attr-defined]  # in the standard library, not in its type stubs
from typing import Any, NamedTuple

Path = tuple[str | int, ...]

_SPACE = re.compile(r"[ \t\r\n]*")
_INDENTED = re.compile(r"\{[ \t]*\r?\n([ \t]+)[^ \t\r\n]")


class Span(NamedTuple):
    """One value: where its member or element begins (a key, if it has one), where the value itself, where both end."""

    key: str | None
    begin: int
    start: int
    end: int
    value: Any


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


# Numbers stay text: one that is too long for Python is still JSON.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse)


def parse(text: str) -> Any:
    """Return the document, or raise ValueError where it is not strict JSON."""
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def find(text: str, path: Path) -> Span | None:
    """Return where the value at a path is; None when there is none.

    >>> find('{"a": [1, 22]}', ("a", 1))
    Span(key=None, begin=10, start=10, end=12, value='22')
    """
    start = _skip(text, 0)
    value, end = _DECODER.raw_decode(text, start)
    span = Span(None, start, start, end, value)
    for step in path:
        if not _holds(span.value, step):
            return None
        children = _children(text, span)
        if isinstance(step, int):
            span = next(islice(children, step, None))
        else:
            *_, span = (child for child in children if child.key == step)
    return span


def value_at(text: str, path: Path) -> Any:
    """Return the value at a path, without looking for where it stands; None when there is none."""
    value = parse(text)
    for step in path:
        if not _holds(value, step):
            return None
        value = value[step]
    return value


def insert(text: str, path: Path, value: Any, *, key: str | None = None) -> str:
    r"""Add an element to the array at `path`, or a member to the object, as the last one and in the style of the text.

    >>> print(insert('{\n "a": 1\n}', (), [True], key="b"))
    {
     "a": 1,
     "b": [
      true
     ]
    }
    """
    container = _require(text, path)
    children = list(_children(text, container))
    if children:
        at = children[-1].end
        gap = text[_token_end(text, children[-1].begin) : children[-1].begin]
        addition = "," + gap + _render(text, value, key, _last_line(gap) if "\n" in gap else None)
        return text[:at] + addition + text[at:]
    if _one_line(text):
        return text[: container.start + 1] + _render(text, value, key, None) + text[container.end - 1 :]
    outer = _indent_at(text[: container.start])
    inner = outer + _unit(text)
    body = _newline(text) + inner + _render(text, value, key, inner) + _newline(text) + outer
    return text[: container.start + 1] + body + text[container.end - 1 :]


def remove(text: str, path: Path) -> str:
    """Take out the member or element at `path` with the comma that joined it.

    >>> remove('{"a": 1, "b": 2, "c": 3}', ("b",))
    '{"a": 1, "c": 3}'
    """
    target = _require(text, path)
    siblings = list(_children(text, _require(text, path[:-1])))
    at = siblings.index(target)
    if at + 1 < len(siblings):
        return text[: target.begin] + text[siblings[at + 1].begin :]
    begin = siblings[at - 1].end if at else target.begin
    return text[:begin] + text[target.end :]


def replace(text: str, path: Path, raw: str) -> str:
    """Put this JSON text in the place of the value at `path`."""
    target = _require(text, path)
    return text[: target.start] + raw + text[target.end :]


def _holds(value: Any, step: str | int) -> bool:
    if isinstance(step, int):
        return isinstance(value, list) and step < len(value)
    return isinstance(value, dict) and step in value


def _require(text: str, path: Path) -> Span:
    span = find(text, path)
    if span is None:
        raise LookupError(f"no value at {path}")
    return span


def _children(text: str, container: Span) -> Iterator[Span]:
    """Yield the members of an object or the elements of an array, in order."""
    at = _skip(text, container.start + 1)
    while text[at] not in "]}":
        if text[at] == ",":
            at = _skip(text, at + 1)
        begin, key = at, None
        if text[container.start] == "{":
            key, at = scanstring(text, at + 1)
            at = _skip(text, _skip(text, at) + 1)
        value, end = _DECODER.raw_decode(text, at)
        yield Span(key, begin, at, end, value)
        at = _skip(text, end)


def _skip(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]  # a pattern that may be empty always matches


def _token_end(text: str, at: int) -> int:
    """Return where the white space before a position begins."""
    while text[at - 1] in " \t\r\n":
        at -= 1
    return at


def _render(text: str, value: Any, key: str | None, indent: str | None) -> str:
    """Serialise a value for its place: on one line without `indent`, else with every further line indented."""
    label = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    if indent is None:
        return label + json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return label + (_newline(text) + indent).join(lines)


def _one_line(text: str) -> bool:
    """Return whether the document holds something and keeps it on one line."""
    body = text.strip()
    return "\n" not in body and len(body.replace(" ", "")) > len("{}")


def _newline(text: str) -> str:
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def _unit(text: str) -> str:
    """Return one step of indentation: what the first member of the document is indented by, else two spaces."""
    match = _INDENTED.match(text, _skip(text, 0))
    return match[1] if match else "  "


def _indent_at(before: str) -> str:
    """Return the indentation of the line that a text ends in."""
    line = _last_line(before)
    return line[: len(line) - len(line.lstrip(" \t"))]


def _last_line(text: str) -> str:
    return text.rpartition("\n")[2]
