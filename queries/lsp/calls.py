"""Show which sessions started which, as a hierarchy of calls."""

from collections.abc import Iterator

from lsprotocol import types
from pygls import uris

from linetrail.ledger.repository import Repository
from linetrail.projections.tables.tables import Tables
from linetrail.queries.answers.why.line import Explainer
from linetrail.queries.ask.ask import answer
from linetrail.queries.lsp.documents import Document
from linetrail.queries.render.text import short
from linetrail.queries.statements import statement


def session_at(document: Document, explainer: Explainer, number: int) -> types.CallHierarchyItem | None:
    """Return the session that wrote a line, counted from 1."""
    if not 1 <= number <= len(explainer.answer.attributions):
        return None
    by = explainer.answer.attributions[number - 1]
    return None if by.session_id is None else _item(by.session_id, by.agent_name, document.uri, number)


def started_by(
    repository: Repository, tables: Tables, item: types.CallHierarchyItem
) -> Iterator[types.CallHierarchyIncomingCall]:
    """Yield the session that started another one."""
    for row in answer(tables, "delegation").mappings():
        if row["child"] == item.data:
            parent = _of_session(repository, tables, row["parent"], None)
            yield types.CallHierarchyIncomingCall(parent, [parent.range])


def started(
    repository: Repository, tables: Tables, item: types.CallHierarchyItem
) -> Iterator[types.CallHierarchyOutgoingCall]:
    """Yield the subagents and sessions that a session started."""
    for row in answer(tables, "delegation", session=item.data).mappings():
        child = _of_session(repository, tables, row["child"], row["agent_type"])
        yield types.CallHierarchyOutgoingCall(child, [item.range])


def _of_session(repository: Repository, tables: Tables, session_id: str, name: str | None) -> types.CallHierarchyItem:
    """Return a session at the first file that it changed, else at the repository as a whole."""
    found = next(tables.ask(statement("lsp_sessions"), {"session_id": session_id}).mappings(), None)
    file = repository.absolute(found["path"]) if found else repository.root
    return _item(session_id, found["agent_name"] if found else name, uris.from_fs_path(file) or "", 1)


def _item(session_id: str, name: str | None, uri: str, number: int) -> types.CallHierarchyItem:
    place = types.Range(types.Position(number - 1, 0), types.Position(number - 1, 0))
    title = f"{name or 'agent'} {short(session_id)}"
    return types.CallHierarchyItem(title, types.SymbolKind.Interface, uri, place, place, data=session_id)
