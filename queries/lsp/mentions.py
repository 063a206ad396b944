"""Follow the ids of intents, wherever a text names one: to the registry, and to every line that was written for it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from lsprotocol import types
from pygls import uris
from pygls.workspace import PositionCodec

from linetrail.ledger.errors import IntentError
from linetrail.ledger.intents import registry_file
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.repository import Repository
from linetrail.projections.blame.blame import Blamer, Opened
from linetrail.projections.git.target import TargetError, in_worktree
from linetrail.projections.lines.decision_lines import places
from linetrail.projections.tables.tables import Tables
from linetrail.queries.answers.decisions import decisions
from linetrail.queries.lsp.documents import Document
from linetrail.queries.statements import statement

ID = re.compile(r"\bINT-[0-9]{3,}\b")
# What a list of symbols has room for.
MAX_SYMBOLS = 200


def intents(repository: Repository) -> Mapping[str, Intent]:
    """Return the intents of the registry by their ids; none where it cannot be read."""
    try:
        return {intent.id: intent for intent in registry_file.read(repository)}
    except IntentError:
        return {}


def mentioned(document: Document, position: types.Position, codec: PositionCodec) -> str | None:
    """Return the id that a text has at a position."""
    lines = document.lines
    if not 0 <= position.line < len(lines):
        return None
    line = lines[position.line]
    found = (one for one in ID.finditer(line) if codec.client_num_units(line[: one.end()]) >= position.character)
    return next((one[0] for one in found if codec.client_num_units(line[: one.start()]) <= position.character), None)


def linked(repository: Repository, markdown: str) -> str:
    """Return Markdown whose ids of intents lead to the registry."""
    known = intents(repository) if ID.search(markdown) else {}
    address = uris.from_fs_path(registry_file.path(repository))
    return ID.sub(lambda one: f"[{one[0]}]({address}#L{known[one[0]].line})" if one[0] in known else one[0], markdown)


def definition(repository: Repository, intent_id: str) -> types.Location | None:
    """Return where the registry has an intent."""
    intent = intents(repository).get(intent_id)
    return None if intent is None else _at(registry_file.path(repository), intent.line, intent.line)


def references(repository: Repository, opened: Opened, intent_id: str) -> list[types.Location]:
    """Return the lines of the work tree that were written for an intent, neighbours together."""
    paths = [path for (path,) in opened.tables.ask(statement("lsp_intent_files"), {"intent_id": intent_id}).rows]
    found = []
    with Blamer(repository, opened=opened) as blamer:
        for path in paths:
            try:
                answer = blamer.answer(in_worktree(repository, path))
            except TargetError:
                continue  # it is gone
            numbers = [at for at, by in enumerate(answer.attributions, 1) if by.intent_id == intent_id]
            found += [_at(repository.absolute(path), first, last) for first, last in _runs(numbers)]
    return found


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of the numbers that follow each other.

    >>> list(_runs([1, 2, 3, 7]))
    [(1, 3), (7, 7)]
    """
    for _, run in groupby(enumerate(numbers), lambda one: one[1] - one[0]):
        ends = [number for _, number in run]
        yield ends[0], ends[-1]


def links(document: Document, codec: PositionCodec) -> list[types.DocumentLink]:
    """Return a link to the registry for each intent that a text names."""
    known, found = intents(document.repository), []
    address = uris.from_fs_path(registry_file.path(document.repository))
    for number, line in enumerate(document.lines):
        for one in ID.finditer(line):
            if one[0] in known:
                start, end = (codec.client_num_units(line[:at]) for at in one.span())
                place = types.Range(types.Position(number, start), types.Position(number, end))
                found.append(types.DocumentLink(place, f"{address}#L{known[one[0]].line}"))
    return found


def symbols(repository: Repository, tables: Tables, query: str) -> list[types.WorkspaceSymbol]:
    """Return the intents, decisions and sessions whose ids or names have all letters of a query in its order."""
    letters = re.compile(".*".join(map(re.escape, query.split())), re.IGNORECASE)
    found = (*_intents(repository), *_decisions(repository, tables), *_sessions(repository, tables))
    return [one for one in found if letters.search(f"{one.name} {one.container_name or ''}")][:MAX_SYMBOLS]


def _intents(repository: Repository) -> Iterator[types.WorkspaceSymbol]:
    file = registry_file.path(repository)
    for intent in intents(repository).values():
        name, place = f"{intent.id} {intent.name}", _at(file, intent.line, intent.line)
        yield types.WorkspaceSymbol(place, name, types.SymbolKind.Event, container_name=intent.status)


def _decisions(repository: Repository, tables: Tables) -> Iterator[types.WorkspaceSymbol]:
    for one in decisions(tables):
        name = f"{one['decision_id']} {one['title']}"
        for place in places(one)[:1]:
            at = _at(repository.absolute(place.path), place.first or 1, place.last or 1)
            yield types.WorkspaceSymbol(at, name, types.SymbolKind.Constant, container_name=one["intent_id"])


def _sessions(repository: Repository, tables: Tables) -> Iterator[types.WorkspaceSymbol]:
    for one in tables.ask(statement("lsp_sessions"), {"session_id": None}).mappings():
        yield types.WorkspaceSymbol(
            _at(repository.absolute(one["path"]), 1, 1),
            f"{one['agent_name']} {one['session_id']}",
            types.SymbolKind.Interface,
            container_name=one["intent_id"],
        )


def _at(file: str, first: int, last: int) -> types.Location:
    """Return whole lines of a file, counted from 1."""
    return types.Location(
        uris.from_fs_path(file) or "", types.Range(types.Position(first - 1, 0), types.Position(last, 0))
    )
