"""Help with writing ``active_intents.yaml``: what is wrong with it, what fits, what a key means, renaming an intent."""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from lsprotocol import types
from pygls.workspace import PositionCodec

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.intents.edits import Registry
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.intents.problems import Problem
from linetrail.ledger.intents.registry import CANONICAL, FIELDS, scan
from linetrail.ledger.intents.rules import ID, lint
from linetrail.ledger.intents.schema import json_schema
from linetrail.ledger.intents.yaml_text import EditError
from linetrail.ledger.repository import Repository, file_path, git
from linetrail.queries.lsp.actions import replaced
from linetrail.queries.lsp.documents import Document
from linetrail.queries.lsp.findings import SOURCE

# What a list of suggestions has room for.
MAX_PATHS = 200
_KEY = re.compile(r"\s*(?:- )?(\w*)")
_VALUE = re.compile(r"\s*(?:- )?(?P<key>\w+):\s+['\"]?(?P<value>[^'\"]*)")
_ITEM = re.compile(r"(?P<indent>\s*)- ['\"]?(?P<value>[^'\"]*)")
_COMMENT = re.compile(r"(?:^|\s)#.*")
_OPENING = re.compile(r"(?P<indent>\s*)(?:- )?(?P<key>\w+):\s*(?:#.*)?")
_OF_INTENTS = frozenset({"dependencies", "parent_intent", "forked_from", "merged_into"})
# The code of a problem -> what a person begins with in its place.
_BEGUN = {
    "MISSING_NAME": "what it is about",
    "MISSING_CONSTRAINTS": "what has to stay true",
    "MISSING_ACCEPTANCE_CRITERIA": "what has to be so when it is done",
}


class Caret(NamedTuple):
    """A place in a text: the lines above it, and what its line has before it."""

    above: Sequence[str]
    before: str


def caret(document: Document, position: types.Position, codec: PositionCodec) -> Caret:
    """Return a place in code points, whatever units the editor counts in."""
    lines = [*document.lines, ""]
    at = min(position.line, len(lines) - 1)
    place = codec.position_from_client_units(lines, types.Position(at, position.character))
    return Caret(lines[:at], lines[at][: place.character])


def named(text: str) -> Mapping[str, Intent]:
    """Return the intents of a registry that is being written, by their ids."""
    return {one.intent.id: one.intent for one in scan(text.encode("utf-8", "replace")).entries}


def diagnostics(text: str) -> list[types.Diagnostic]:
    """Return what `linetrail intents lint` says of a registry."""
    lines = text.splitlines() or [""]
    return [_diagnostic(one, lines) for one in lint(scan(text.encode("utf-8", "replace")))]


def fixes(document: Document) -> Iterator[types.CodeAction]:
    """Yield an edit for each problem of which it is plain what was meant, or how it is begun."""
    for one in lint(scan(document.text.encode("utf-8", "replace"))):
        fixed = _fixed(document.text, one)
        if fixed is not None:
            title, text = fixed
            edit = types.WorkspaceEdit({document.uri: [replaced(document.text, text)]})
            found = [_diagnostic(one, document.lines)]
            yield types.CodeAction(title, types.CodeActionKind.QuickFix, found, edit=edit)


def completion(repository: Repository, known: Mapping[str, Intent], at: Caret) -> list[types.CompletionItem]:
    """Return what may stand at a place: keys, statuses, ids of intents, patterns of a scope."""
    value = _VALUE.fullmatch(at.before)
    if value is not None:
        return _values(CANONICAL.get(value["key"]), known)
    item = _ITEM.fullmatch(at.before)
    field = _field(at.above, len(item["indent"])) if item else None
    if item is not None and field == "owned_scope":
        return [_item(path, types.CompletionItemKind.File) for path in _patterns(repository, item["value"])]
    if item is not None and field is not None:
        return _values(field, known)
    return _keys(at.above) if _KEY.fullmatch(at.before) else []


def hover(known: Mapping[str, Intent], word: str) -> str | None:
    """Return what a key means, or what an intent is about."""
    if word in known:
        intent = known[word]
        criteria = [f"- {one}" for one in intent.criteria]
        return "\n".join([f"{intent.id} {intent.name} ({intent.status})", intent.description or "", *criteria]).strip()
    described: str | None = _properties().get(word, {}).get("description")
    return described


class Word(NamedTuple):
    """A word or an id, and where it stands in the units of the editor."""

    text: str
    place: types.Range


def word_at(document: Document, position: types.Position, codec: PositionCodec) -> Word | None:
    """Return the word or the id around a place."""
    place = caret(document, position, codec)
    line = (document.lines[position.line : position.line + 1] or [""])[0]
    for one in re.finditer(r"[\w-]+", line):
        if one.start() <= len(place.before) <= one.end():
            start, end = (codec.client_num_units(line[:at]) for at in one.span())
            ends = types.Position(position.line, start), types.Position(position.line, end)
            return Word(one[0], types.Range(*ends))
    return None


def renamed(document: Document, codec: PositionCodec, old: str, new: str) -> list[types.TextEdit]:
    """Return the edits that give an intent another id, wherever the registry names it."""
    if not ID.fullmatch(new):
        raise RenameError(f"the id {new} is not INT- and three digits or more, as in INT-001")
    if new in named(document.text):
        raise RenameError(f"there is an intent {new} already")
    edits = []
    for number, line in enumerate(document.lines):
        for one in re.finditer(rf"(?<![\w-]){re.escape(old)}(?![\w-])", _COMMENT.sub("", line)):
            start, end = (codec.client_num_units(line[:at]) for at in one.span())
            place = types.Range(types.Position(number, start), types.Position(number, end))
            edits.append(types.TextEdit(place, new))
    return edits


class RenameError(LinetrailError):
    """An intent cannot have this id."""


def _diagnostic(one: Problem, lines: Sequence[str]) -> types.Diagnostic:
    number = min(max(one.line, 1), max(len(lines), 1))
    line = lines[number - 1] if lines else ""
    error = types.DiagnosticSeverity.Error if one.level == "error" else types.DiagnosticSeverity.Warning
    start = types.Position(number - 1, len(line) - len(line.lstrip()))
    return types.Diagnostic(
        types.Range(start, types.Position(number - 1, len(line))), one.message, error, one.code, source=SOURCE
    )


def _fixed(text: str, problem: Problem) -> tuple[str, str] | None:
    """Return what an edit does, and the text that comes out of it."""
    if problem.intent_id is None or problem.field is None:
        return None
    field = CANONICAL.get(problem.field, problem.field)
    try:
        registry = Registry(text)
        if problem.code in ("INVALID_STATUS", "INVALID_PRIORITY"):
            written = named(text)[problem.intent_id]
            said = written.written if field == "status" else written.priority
            near = difflib.get_close_matches((said or "").upper().replace("-", "_"), _choices(field), 1)
            return (f"Write {near[0]}", registry.set(problem.intent_id, field, near[0]).text) if near else None
        if problem.code in _BEGUN:
            begun = _BEGUN[problem.code]
            change = registry.set if field == "name" else registry.append
            return f"Begin `{field}`", change(problem.intent_id, field, begun).text
    except (LinetrailError, EditError, UnicodeEncodeError):
        return None
    return None


def _values(field: str | None, known: Mapping[str, Intent]) -> list[types.CompletionItem]:
    if field in _OF_INTENTS:
        return [_item(one.id, types.CompletionItemKind.Reference, one.name) for one in known.values()]
    return [_item(value, types.CompletionItemKind.EnumMember) for value in _choices(field)]


def _keys(above: Sequence[str]) -> list[types.CompletionItem]:
    """Return the keys of an intent in the spelling that is in use."""
    camel = any(re.match(r"\s*(?:- )?[a-z]+[A-Z]\w*:", line) for line in above)
    spelled = [spellings[1] if camel and len(spellings) > 1 else spellings[0] for spellings in FIELDS.values()]
    return [
        _item(key, types.CompletionItemKind.Property, _properties().get(key, {}).get("description"), f"{key}: ")
        for key in spelled
    ]


def _field(above: Sequence[str], indent: int) -> str | None:
    """Return the field whose list an item belongs to."""
    for line in reversed(above):
        opening = _OPENING.fullmatch(line)
        if opening is not None and len(opening["indent"]) <= indent:
            return CANONICAL.get(opening["key"])
    return None


def _patterns(repository: Repository, begun: str) -> Iterator[str]:
    """Yield the files and folders that git tracks below what is begun, folders as patterns of all in them."""
    folder = begun.rpartition("/")[0]
    prefix = f"{folder}/" if folder else ""
    listed = git(repository, "ls-files", "-z", "--", *([file_path(prefix)] if prefix else [])) or b""
    names = {path.removeprefix(prefix) for path in listed.decode("utf-8", "replace").split("\0") if path}
    nearest = sorted({f"{name.partition('/')[0]}/**" if "/" in name else name for name in names})
    yield from (f"{prefix}{name}" for name in nearest[:MAX_PATHS])


def _choices(field: str | None) -> Sequence[str]:
    return list(_enumerated(_properties().get(field or "", {})))


def _enumerated(schema: Mapping[str, Any]) -> Iterable[str]:
    return schema.get("enum") or next((one["enum"] for one in schema.get("anyOf", ()) if "enum" in one), ())


@cache
def _properties() -> Mapping[str, Mapping[str, Any]]:
    found: Mapping[str, Mapping[str, Any]] = json_schema()["$defs"]["Intent"]["properties"]
    return found


def _item(
    label: str, kind: types.CompletionItemKind, detail: str | None = None, text: str | None = None
) -> types.CompletionItem:
    return types.CompletionItem(label, kind=kind, detail=detail, insert_text=text)
