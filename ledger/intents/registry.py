"""Turn the YAML of an intent registry into intents, with the line of every mistake.

YAML is read as text in lists and maps and nothing else: no types are guessed (``id: 007`` stays ``007``), and anchors,
aliases and tags are refused, so a small file stays small. What makes the whole file unreadable is one problem; what is
wrong with one intent makes that intent unusable, and no other.
"""

import contextlib
import gc
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Protocol

import yaml

from linetrail.ledger.errors import IntentError
from linetrail.ledger.intents.criteria import wording
from linetrail.ledger.intents.intent import DRAFT, SYNONYMS, Intent
from linetrail.ledger.intents.problems import MOST_INTENTS, Entry, Problem, Reading
from linetrail.ledger.intents.rules import errors, judged

MAX_DEPTH = 20
MAX_ID = 100
# Both documented spellings of each key; where both are there the first one counts.
ROOTS = ("active_intents", "intents")
TEXTS = {
    "id": ("id",),
    "name": ("name",),
    "status": ("status",),
    "description": ("description",),
    "owner": ("owner",),
    "priority": ("priority",),
    "parent_intent": ("parent_intent", "parentIntent"),
    "blocked_reason": ("blocked_reason", "blockedReason"),
    "created_at": ("created_at", "createdAt"),
    "updated_at": ("updated_at", "updatedAt"),
    "forked_from": ("forked_from", "forkedFrom"),
    "merged_into": ("merged_into", "mergedInto"),
    "approval": ("approval",),
}
LISTS = {
    "owned_scope": ("owned_scope", "ownedScope", "scope"),
    "constraints": ("constraints",),
    "acceptance_criteria": ("acceptance_criteria", "acceptanceCriteria"),
    "dependencies": ("dependencies",),
    "references": ("references",),
}
FIELDS = {**TEXTS, **LISTS, "metadata": ("metadata",)}
CANONICAL = {spelling: field for field, spellings in FIELDS.items() for spelling in spellings}
ROOT_KEYS = frozenset({*ROOTS, "version", "schema_version", "schemaVersion", "metadata", "$schema"})
# field whose items may be maps -> what an Intent calls those
_MAPS = {"constraints": "rules", "acceptance_criteria": "checks"}
_WORDS = {"true": True, "false": False}
_TEXT = "tag:yaml.org,2002:str"
_NUMBER = re.compile("-?(0|[1-9][0-9]{0,8})")


class MalformedError(IntentError):
    """A registry of which nobody can tell what it says."""

    hint = "linetrail intents lint"


def parse(content: bytes, name: str) -> list[Intent]:
    """Return the intents of a registry with their flaws; `name` is the file that stands in every message."""
    reading = scan(content)
    for problem in reading.problems:
        if problem.fatal:
            line = f":{problem.line}" if problem.line else ""
            raise MalformedError(f"{name}{line}: {problem.message}")
    return list(_judged(content))


@lru_cache(maxsize=1)
def _judged(content: bytes) -> tuple[Intent, ...]:
    """Return the intents of a registry that can be read, with their flaws."""
    reading = scan(content)
    flaws: dict[str | None, list[str]] = {}
    for problem in errors(reading):
        flaws.setdefault(problem.intent_id, []).append(f"{problem.code}: {problem.message}")
    return tuple(one.intent._replace(flaws=tuple(flaws.get(one.intent.id, ()))) for one in reading.entries)


# a command reads the file for people, for the ledger and for hooks
@lru_cache(maxsize=1)
def scan(content: bytes) -> Reading:
    """Return all that can be read, and all that is wrong with it but for scopes that overlap; never raises."""
    try:
        with _uncollected():
            return judged(_Scanner().scan(compose(content)))
    except MisreadError as error:
        return Reading((), (Problem("error", "YAML_PARSE_ERROR", None, None, error.line, str(error), fatal=True),))


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Put off the search for cycles of objects: nodes of YAML have none, and each search would visit all of them."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def compose(content: bytes) -> yaml.Node | None:
    """Return the tree of a file that hides nothing; None of an empty one."""
    try:
        content.decode()
        _refuse_tricks(content)
        return yaml.compose(content, Loader=yaml.CSafeLoader)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise MisreadError(line, f"not YAML: not UTF-8 ({error.reason})") from None
    except yaml.MarkedYAMLError as error:
        raise MisreadError(_line(error.problem_mark), f"not YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise MisreadError(0, f"not YAML: {' '.join(str(error).split())}") from None


def plain(node: yaml.Node) -> Any:
    """Return a part of the tree as text, lists and maps; null, true, false and whole numbers as JSON has them."""
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): plain(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [plain(item) for item in node.value]
    if is_null(node):
        return None
    text = str(node.value)
    if not isinstance(node, yaml.ScalarNode) or node.style:
        return text
    return int(text) if _NUMBER.fullmatch(text) else _WORDS.get(text, text)


def is_null(node: yaml.Node) -> bool:
    """Return whether nothing stands here."""
    return bool(node.tag == "tag:yaml.org,2002:null")


class MisreadError(Exception):
    """What is wrong with a file as a whole, and in which line; the file is known further up."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


class _Mark(Protocol):
    """A place in the file, whichever of the two parsers counted it; lines from 0."""

    line: int


def _refuse_tricks(content: bytes) -> None:
    """Stop before anything is built where a file could grow beyond its size, or name a Python type."""
    depth = 0
    for event in yaml.parse(content, Loader=yaml.CSafeLoader):
        if type(event) is yaml.ScalarEvent and event.anchor is None and event.tag is None:
            continue  # nearly all of them
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise MisreadError(_line(event.start_mark), f"nested deeper than {MAX_DEPTH}")
        if getattr(event, "anchor", None) is not None:
            raise MisreadError(_line(event.start_mark), "anchors and aliases are not allowed here")
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise MisreadError(_line(event.start_mark), f"the tag {tag} is not allowed here")


class _Scanner:
    """Reads one file, and notes what is wrong on the way; what nobody can make sense of is fatal."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def scan(self, root: yaml.Node | None) -> Reading:
        entries = tuple(entry for entry in map(self._entry, self._listed(root)) if entry is not None)
        first: dict[str, Entry] = {}
        for entry in entries:
            known = first.setdefault(entry.intent.id, entry)
            if known is not entry:
                message = f"{entry.intent.id} is here twice, first in line {known.intent.line}; give it another id"
                self._note("DUPLICATE_ID", message, entry.lines["id"], entry.intent.id, "id", fatal=True)
        return Reading(entries, tuple(self.problems))

    def _listed(self, root: yaml.Node | None) -> list[yaml.Node]:
        """Return the nodes of the intents; a registry without any can be read, though it should have its root."""
        if root is None:
            self._note("MISSING_ACTIVE_INTENTS", f"the file is empty; write `{ROOTS[0]}: []`", 1, field=ROOTS[0])
            return []
        if not isinstance(root, yaml.MappingNode):
            message = f"expected `key: value`, and `{ROOTS[0]}: []` among them"
            self._note("MISSING_ACTIVE_INTENTS", message, _line(root.start_mark), field=ROOTS[0], fatal=True)
            return []
        members = self._members(root) or {}
        found = [name for name in ROOTS if name in members]
        for name, value in members.items():
            if name not in ROOT_KEYS:
                self._unknown(name, value, None)
        if not found:
            message = f"neither `{ROOTS[0]}` nor `{ROOTS[1]}` is here; write `{ROOTS[0]}: []`"
            self._note("MISSING_ACTIVE_INTENTS", message, _line(root.start_mark), field=ROOTS[0], fatal=True)
            return []
        if len(found) > 1:
            message, line = (
                f"`{found[0]}` and `{found[1]}` are both here; keep one",
                _line(members[found[1]].start_mark),
            )
            self._note("DUPLICATE_KEY", message, line, field=found[1], fatal=True)
        return self._items(members[found[0]], found[0])

    def _items(self, node: yaml.Node, name: str) -> list[yaml.Node]:
        if isinstance(node, yaml.SequenceNode):
            if len(node.value) <= MOST_INTENTS:
                return list(node.value)
            message = f"more than {MOST_INTENTS:,} intents; move those that are done to another file"
            self._note("TOO_MANY_INTENTS", message, _line(node.start_mark), field=name, fatal=True)
            return []
        empty = is_null(node)
        message = f"`{name}` is empty; write `{name}: []`" if empty else f"expected a list of intents in `{name}`"
        self._note("MISSING_ACTIVE_INTENTS", message, _line(node.start_mark), field=name, fatal=not empty)
        return []

    def _entry(self, node: yaml.Node) -> Entry | None:
        members = self._members(node)
        if members is None:
            return None
        intent_id = self._id(members.get("id"), _line(node.start_mark))
        if intent_id is None:
            return None
        found = self._fields(members, intent_id)
        for name, value in members.items():
            if name not in CANONICAL:
                self._unknown(name, value, intent_id)
        lines = {field: _line(value.start_mark) for field, value in found.items()}
        texts = {field: self._text(found.get(field), field, intent_id) for field in TEXTS}
        lists = {field: list(self._texts(found.get(field), field, intent_id, lines)) for field in LISTS}
        return Entry(_intent(_line(node.start_mark), texts, lists, found.get("metadata")), lines)

    def _id(self, node: yaml.Node | None, line: int) -> str | None:
        if not isinstance(node, yaml.ScalarNode) or is_null(node) or not node.value:
            problem = "an intent without an id"
        elif len(node.value) > MAX_ID:
            problem = f"an id longer than {MAX_ID} characters"
        else:
            return str(node.value)
        at = line if node is None else _line(node.start_mark)
        self._note("INVALID_ID_FORMAT", f"{problem}; give it one like INT-001", at, field="id", fatal=True)
        return None

    def _members(self, node: yaml.Node) -> dict[str, yaml.Node] | None:
        if not isinstance(node, yaml.MappingNode):
            self._note("INVALID_TYPE", "expected `key: value`", _line(node.start_mark), fatal=True)
            return None
        members: dict[str, yaml.Node] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._note("INVALID_TYPE", "expected text for a key", _line(key.start_mark), fatal=True)
                continue
            name = str(key.value)
            if name in members:
                message = f"`{name}` is here twice; keep one"
                self._note("DUPLICATE_KEY", message, _line(key.start_mark), field=name, fatal=True)
            members.setdefault(name, value)
        return members

    def _fields(self, members: Mapping[str, yaml.Node], intent_id: str) -> dict[str, yaml.Node]:
        """Return the values by the one name of their fields."""
        found: dict[str, yaml.Node] = {}
        for spelling, field in CANONICAL.items():
            if spelling in members and field not in found:
                found[field] = members[spelling]
            elif spelling in members:
                first = next(name for name in FIELDS[field] if name in members)
                message = f"`{first}` and `{spelling}` are the same; keep one"
                self._note("DUPLICATE_KEY", message, _line(members[spelling].start_mark), intent_id, field)
        return found

    def _text(self, node: yaml.Node | None, field: str, intent_id: str) -> str | None:
        if node is None or is_null(node):
            return None
        if not isinstance(node, yaml.ScalarNode):
            self._note("INVALID_TYPE", f"expected text for `{field}`", _line(node.start_mark), intent_id, field)
            return None
        return str(node.value)

    def _texts(
        self, node: yaml.Node | None, field: str, intent_id: str, lines: dict[str, int]
    ) -> Iterator[str | Mapping[str, Any]]:
        """Yield the items of a list, and note their lines; some may be maps, everything else is text."""
        if node is None or is_null(node):
            return
        if not isinstance(node, yaml.SequenceNode):
            self._note("INVALID_TYPE", f"expected a list for `{field}`", _line(node.start_mark), intent_id, field)
            return
        texts = maps = 0
        for item in node.value:
            line = _line(item.start_mark)
            if isinstance(item, yaml.ScalarNode) and not is_null(item):
                lines[f"{field}[{texts}]"] = line
                texts += 1
                if field == "owned_scope" and item.tag != _TEXT:
                    kind = str(item.tag).rpartition(":")[2]
                    message = f"{item.value} is no text but of the type {kind}; a pattern like it needs quotes"
                    self._note("INVALID_GLOB", message, line, intent_id, field)
                yield str(item.value)
            elif field in _MAPS and isinstance(item, yaml.MappingNode):
                lines[f"{_MAPS[field]}[{maps}]"] = line
                maps += 1
                yield plain(item)
            else:
                self._note("INVALID_TYPE", f"expected text in `{field}`", line, intent_id, field)

    def _unknown(self, name: str, value: yaml.Node, intent_id: str | None) -> None:
        message = f"linetrail knows no field `{name}`; it is kept, and nothing follows from it"
        line = _line(value.start_mark)
        self.problems.append(Problem("warning", "UNKNOWN_FIELD", intent_id, name, line, message))

    def _note(
        self,
        code: str,
        message: str,
        line: int,
        intent_id: str | None = None,
        field: str | None = None,
        *,
        fatal: bool = False,
    ) -> None:
        self.problems.append(Problem("error", code, intent_id, field, line, message, fatal=fatal))


def _intent(
    line: int, texts: Mapping[str, str | None], lists: Mapping[str, list[Any]], metadata: yaml.Node | None
) -> Intent:
    status = DRAFT if texts["status"] is None else texts["status"]
    return Intent(
        id=str(texts["id"]),
        name=texts["name"] or str(texts["id"]),
        status=SYNONYMS.get(status, status),
        scope=tuple(lists["owned_scope"]),
        line=line,
        written=texts["status"],
        description=texts["description"],
        owner=texts["owner"],
        priority=texts["priority"],
        constraints=tuple(item for item in lists["constraints"] if isinstance(item, str)),
        rules=tuple(item for item in lists["constraints"] if not isinstance(item, str)),
        criteria=tuple(map(wording, lists["acceptance_criteria"])),
        checks=tuple(item for item in lists["acceptance_criteria"] if not isinstance(item, str)),
        dependencies=tuple(lists["dependencies"]),
        parent=texts["parent_intent"],
        references=tuple(lists["references"]),
        blocked_reason=texts["blocked_reason"],
        created_at=texts["created_at"],
        updated_at=texts["updated_at"],
        forked_from=texts["forked_from"],
        merged_into=texts["merged_into"],
        approval=texts["approval"],
        metadata=None if metadata is None else plain(metadata),
    )


def _line(mark: _Mark | None) -> int:
    return 0 if mark is None else mark.line + 1
