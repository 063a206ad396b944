"""Offer what a person may do about lines: decide, correct who wrote them, take a file into a scope, see the page."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from lsprotocol import types
from pygls import uris

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.hook.checkout import owns
from linetrail.ledger.intents import registry_file
from linetrail.ledger.intents.edits import Registry
from linetrail.ledger.intents.intent import IN_PROGRESS, Intent
from linetrail.ledger.intents.yaml_text import EditError
from linetrail.ledger.repository import Repository, file_path
from linetrail.projections.blame.blame import Opened
from linetrail.projections.git.shell import command
from linetrail.projections.lines.attribution import Attribution
from linetrail.projections.lines.decision_lines import decisions
from linetrail.projections.tables.tables import Tables
from linetrail.queries.lsp.documents import Document, target
from linetrail.queries.lsp.mentions import intents
from linetrail.queries.record import decisions as deciding
from linetrail.queries.record.author import require_person
from linetrail.queries.record.corrections import Wish, correct

RECORD_DECISION = "linetrail.recordDecision"
CORRECT = "linetrail.correct"
OPEN_PAGE = "linetrail.openPage"
# Whom a person may name, in the words of the command line -> in words.
_WRITERS = {"human": "a person", "ai": "an agent"}
# So many intents are offered a file.
MAX_INTENTS = 5


def actions(
    document: Document, registry: str, chosen: types.Range, judged: Sequence[Attribution]
) -> Iterator[types.CodeAction]:
    """Yield what may be done about a range, of whose text it is `judged` who wrote it.

    `registry` is the text of the registry of intents, saved or not.
    """
    first, last = chosen.start.line + 1, chosen.end.line + (chosen.end.character > 0 or chosen.start == chosen.end)
    last = max(first, last)
    lines = f"line {first}" if first == last else f"lines {first}-{last}"
    place = {"uri": document.uri, "first": first, "last": last}
    yield _commanded(f"Record a decision about {lines}", RECORD_DECISION, place)
    kinds = {by.contributor_type for by in judged[first - 1 : last]}
    for kind, words in _WRITERS.items():
        if kinds - {kind}:
            yield _commanded(f"Correct: {words} wrote {lines}", CORRECT, place | {"by": kind})
    for intent in _without(document)[:MAX_INTENTS]:
        edit = _extended(document.repository, registry, intent.id, file_path(document.path))
        if edit is not None:
            title = f"Take {file_path(document.path)} into the scope of {intent.id}"
            yield types.CodeAction(title, types.CodeActionKind.QuickFix, edit=edit)
    yield _commanded("Show this file on the page of linetrail", OPEN_PAGE, place)


def record_decision(repository: Repository, tables: Tables, place: str, title: str, why: str | None) -> str:
    """Record a decision about lines, as `PATH:3-8`, and return its id."""
    wish = deciding.Wish(title=title, rationale=why, lines=[place])
    made = deciding.decided(repository, repository.root, wish, list(decisions(tables)))
    deciding.record(repository, [(made, deciding.author(repository, wish))])
    return made.id


def corrected(document: Document, opened: Opened, told: Mapping[str, Any]) -> list[str]:
    """Record who wrote lines of a text, saved or not, as a person says, and return the ids of the events."""
    require_person("correct an answer")
    wish = Wish(told.get("by"), told.get("class"), bool(told.get("withdraw")), told.get("reason"))
    numbers = told["first"], told["last"]
    return [event.id for event in correct(document.repository, target(document), opened, numbers, wish)]


def advice(place: str) -> str:
    """Return how to record a decision where the editor cannot ask for its words."""
    said = command(["linetrail", "record-decision", "--title", "WHAT", "--why", "THE REASON", "--lines", place])
    return f"Record it in a terminal: {said}"


def place_of(document: Document, first: int, last: int) -> str:
    """Return lines as `record-decision --lines` takes them."""
    return f"{file_path(document.path)}:{first}-{last}"


def replaced(before: str, after: str) -> types.TextEdit:
    """Return the edit of whole lines that makes one text out of another."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    start = _same(old, new)
    end = _same(old[start:][::-1], new[start:][::-1])
    return types.TextEdit(
        types.Range(types.Position(start, 0), types.Position(len(old) - end, 0)),
        "".join(new[start : len(new) - end]),
    )


def _same(one: list[str], other: list[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _commanded(title: str, name: str, place: dict[str, object]) -> types.CodeAction:
    return types.CodeAction(title, types.CodeActionKind.Empty, command=types.Command(title, name, arguments=[place]))


def _without(document: Document) -> list[Intent]:
    """Return the intents in progress that do not own a file."""
    working = [one for one in intents(document.repository).values() if one.status == IN_PROGRESS]
    return [one for one in working if not owns(one)(document.path)]


def _extended(repository: Repository, registry: str, intent_id: str, pattern: str) -> types.WorkspaceEdit | None:
    """Return the edit of the registry that adds a pattern to a scope; None where it cannot be made."""
    try:
        after = Registry(registry).append(intent_id, "owned_scope", pattern).text
    except (LinetrailError, EditError):
        return None
    uri = uris.from_fs_path(registry_file.path(repository)) or ""
    return types.WorkspaceEdit({uri: [replaced(registry, after)]})
