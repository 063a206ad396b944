"""Turn the YAML of an intent registry into intents, with the line of every mistake.

YAML is read as text in lists and maps and nothing else: no types are guessed (``id: 007`` stays ``007``), and anchors,
aliases and tags are refused, so a small file stays small.
"""

from typing import TYPE_CHECKING, Protocol

import yaml

from linetrail.ledger.errors import IntentError
from linetrail.ledger.intents import Intent

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_DEPTH = 20
# Both documented spellings of each key; the first one found counts.
ROOTS = ("active_intents", "intents")
SCOPES = ("owned_scope", "ownedScope", "scope")


def parse(content: bytes, name: str) -> list[Intent]:
    """Return the intents of a registry; `name` is the file that stands in every message."""
    try:
        _refuse_tricks(content)
        root = yaml.compose(content, Loader=yaml.CSafeLoader)
        return [] if root is None else _intents(root)
    except _MisreadError as error:
        raise IntentError(f"{name}:{error.line}: {error}") from None
    except yaml.MarkedYAMLError as error:
        line = f":{_line(error.problem_mark)}" if error.problem_mark else ""
        raise IntentError(f"{name}{line}: not YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise IntentError(f"{name}: not YAML: {' '.join(str(error).split())}") from None


class _Mark(Protocol):
    """A place in the file, whichever of the two parsers counted it; lines from 0."""

    line: int


class _MisreadError(Exception):
    """What is wrong, and in which line; the file is known further up."""

    def __init__(self, mark: _Mark | None, problem: str) -> None:
        super().__init__(problem)
        self.line = _line(mark)


def _refuse_tricks(content: bytes) -> None:
    """Stop before anything is built where a file could grow beyond its size, or name a Python type."""
    depth = 0
    for event in yaml.parse(content, Loader=yaml.CSafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise _MisreadError(event.start_mark, f"nested deeper than {MAX_DEPTH}")
        if getattr(event, "anchor", None) is not None:
            raise _MisreadError(event.start_mark, "anchors and aliases are not allowed here")
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise _MisreadError(event.start_mark, f"the tag {tag} is not allowed here")


def _intents(root: yaml.Node) -> list[Intent]:
    node = _first(_members(root), ROOTS)
    if node is None:
        raise _MisreadError(root.start_mark, f"neither `{ROOTS[0]}` nor `{ROOTS[1]}` is here")
    found: dict[str, Intent] = {}
    for item in _items(node):
        intent = _intent(item)
        if intent.id in found:
            raise _MisreadError(item.start_mark, f"{intent.id} is here twice, first in line {found[intent.id].line}")
        found[intent.id] = intent
    return list(found.values())


def _intent(node: yaml.Node) -> Intent:
    members = _members(node)
    intent_id = _text(members, "id")
    if not intent_id:
        raise _MisreadError(node.start_mark, "an intent without an id")
    scope = _first(members, SCOPES)
    return Intent(
        id=intent_id,
        name=_text(members, "name") or intent_id,
        status=_text(members, "status") or "DRAFT",
        scope=() if scope is None else tuple(_scalar(item) for item in _items(scope)),
        line=_line(node.start_mark),
    )


def _members(node: yaml.Node) -> "dict[str, yaml.Node]":
    if not isinstance(node, yaml.MappingNode):
        raise _MisreadError(node.start_mark, "expected `key: value`")
    members: dict[str, yaml.Node] = {}
    for key, value in node.value:
        name = _scalar(key)
        if name in members:
            raise _MisreadError(key.start_mark, f"`{name}` is here twice")
        members[name] = value
    return members


def _items(node: yaml.Node) -> "list[yaml.Node]":
    if _is_null(node):
        return []
    if not isinstance(node, yaml.SequenceNode):
        raise _MisreadError(node.start_mark, "expected a list")
    return list(node.value)


def _first(members: "Mapping[str, yaml.Node]", keys: tuple[str, ...]) -> yaml.Node | None:
    return next((members[key] for key in keys if key in members), None)


def _text(members: "Mapping[str, yaml.Node]", key: str) -> str | None:
    node = members.get(key)
    return None if node is None or _is_null(node) else _scalar(node)


def _scalar(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise _MisreadError(node.start_mark, "expected text")
    return str(node.value)


def _is_null(node: yaml.Node) -> bool:
    return bool(node.tag == "tag:yaml.org,2002:null")


def _line(mark: _Mark | None) -> int:
    return 0 if mark is None else mark.line + 1
