"""What the server answers: each method of the protocol, and the function that answers it."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple, Protocol

from lsprotocol import types
from pygls import uris
from pygls.exceptions import JsonRpcInvalidParams

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.intents import registry_file
from linetrail.ledger.log.store import TAIL
from linetrail.ledger.repository import FOLDER, find, head, require_ledger
from linetrail.queries.lsp import actions, calls, findings, lines, mentions, registry, settings
from linetrail.queries.lsp.documents import Document
from linetrail.queries.lsp.page import Page
from linetrail.queries.lsp.server import FILE, LINE, Server
from linetrail.queries.record.intent_record import require_unused

_REGISTRY = f"{FOLDER}/{registry_file.FILE}"
# What an editor is asked to watch: events that were recorded, what people wrote, commits. No answer writes any of it.
WATCHED = (
    *(f"**/{FOLDER}/{name}" for name in (TAIL, "segments/*", "*.yaml")),
    *("**/.git/HEAD", "**/.git/logs/HEAD"),
)


class Placed(Protocol):
    """What a method is asked that is about a place in a document."""

    text_document: types.TextDocumentIdentifier
    position: types.Position


async def initialize(server: Server, params: types.InitializeParams) -> None:
    """Take over the settings that an editor begins with."""
    if isinstance(params.initialization_options, dict):
        server.set(params.initialization_options)


async def initialized(server: Server, _: types.InitializedParams) -> None:
    """Have the editor tell of what is recorded and committed, where it can."""
    watching = server.client_capabilities.workspace and server.client_capabilities.workspace.did_change_watched_files
    if watching and watching.dynamic_registration:
        patterns = [types.FileSystemWatcher(pattern) for pattern in WATCHED]
        options = types.DidChangeWatchedFilesRegistrationOptions(patterns)
        watch = types.Registration("watch", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        await server.client_register_capability_async(types.RegistrationParams([watch]))


async def configure(server: Server, params: types.DidChangeConfigurationParams) -> None:
    """Take over the settings of an editor."""
    if isinstance(params.settings, dict):
        told = params.settings.get("linetrail", params.settings)
        server.set(told if isinstance(told, dict) else {})
        server.refresh()


async def watched(server: Server, _: types.DidChangeWatchedFilesParams) -> None:
    """Have the editor ask again."""
    server.refresh()
    for uri in server.workspace.text_documents:
        await _publish(server, uri)


async def opened(server: Server, params: types.DidOpenTextDocumentParams) -> None:
    """Say what is wrong with a document."""
    await _publish(server, params.text_document.uri)


async def changed(server: Server, params: types.DidChangeTextDocumentParams) -> None:
    """Say what is wrong with the registry, or with settings, while they are typed."""
    document = server.document(params.text_document.uri)
    if document is not None and document.path in (_REGISTRY, *settings.FILES):
        await _publish(server, document.uri)


async def saved(server: Server, params: types.DidSaveTextDocumentParams) -> None:
    """Say anew what is wrong with a document."""
    server.audits.forget()
    await _publish(server, params.text_document.uri)


async def closed(server: Server, params: types.DidCloseTextDocumentParams) -> None:
    """Forget where the caret was, and what was wrong."""
    server.carets.pop(params.text_document.uri, None)
    if not server.pulls():
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))


async def hover(server: Server, params: types.HoverParams) -> types.Hover | None:
    """Return why a line is as it is; in the registry, what a key or an intent is."""
    document = _looked_at(server, params)
    if document is None:
        return None
    markdown = server.reads_markdown()
    if document.path == _REGISTRY:
        codec = server.text(document.uri).position_codec
        return await server.answer(lambda: _key(document, registry.word_at(document, params.position, codec)), None)
    number = params.position.line + 1
    explainer = server.repositories.explainer
    found = await server.answer(lambda: lines.reason(document, explainer(document), number, markdown=markdown), None)
    return None if found is None else types.Hover(found)


async def highlight(server: Server, params: types.DocumentHighlightParams) -> None:
    """Return nothing: an editor asks it of the line of the caret, and so tells which line that is."""
    _looked_at(server, params)


async def hints(server: Server, params: types.InlayHintParams) -> list[types.InlayHint]:
    """Return the hint behind the line of the caret, or behind each line of a range."""
    document = server.document(params.text_document.uri)
    if document is None or server.hints not in (LINE, FILE) or document.path == _REGISTRY:
        return []
    shown = range(params.range.start.line + 1, params.range.end.line + 2)
    numbers = [one for one in shown if server.hints == FILE or one == server.carets.get(document.uri)]
    codec, now = server.text(document.uri).position_codec, datetime.now(UTC)
    explainer = server.repositories.explainer
    return await server.answer(lambda: lines.hints(document, explainer(document), numbers, codec, now), [])


async def hint(server: Server, told: types.InlayHint) -> types.InlayHint:
    """Return a hint with the reason for its line."""
    place: Any = told.data
    document = server.document(place["uri"])
    if document is not None:
        explainer, number = server.repositories.explainer, place["line"]
        told.tooltip = await server.answer(
            lambda: lines.reason(document, explainer(document), number, markdown=True), None
        )
    return told


async def lenses(server: Server, params: types.CodeLensParams) -> list[types.CodeLens]:
    """Return what agents had to do with each definition, where the person wants to know."""
    document = server.document(params.text_document.uri)
    if document is None or not server.lens:
        return []
    return await server.answer(lambda: lines.lenses(server.repositories.explainer(document)), [])


async def diagnose(server: Server, params: types.DocumentDiagnosticParams) -> types.RelatedFullDocumentDiagnosticReport:
    """Return what is wrong with a document."""
    return types.RelatedFullDocumentDiagnosticReport(await _diagnosed(server, params.text_document.uri))


async def act(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return what may be done about a range."""
    document = server.document(params.text_document.uri)
    if document is None:
        return []
    server.look(document.uri, params.range.start.line)
    if document.path == _REGISTRY:
        return await server.answer(lambda: list(registry.fixes(document)), [])
    text = server.registry(document.repository)
    explainer = server.repositories.explainer
    return await server.answer(
        lambda: list(actions.actions(document, text, params.range, explainer(document).answer.attributions)), []
    )


async def complete(server: Server, params: types.CompletionParams) -> list[types.CompletionItem]:
    """Return what may stand at a place of the registry, or of a file of settings."""
    document = _looked_at(server, params)
    if document is None or document.path not in (_REGISTRY, *settings.FILES):
        return []
    at = registry.caret(document, params.position, server.text(document.uri).position_codec)
    if document.path != _REGISTRY:
        return await server.answer(lambda: settings.completion(document, at.before), [])
    known = registry.named(document.text)
    return await server.answer(lambda: registry.completion(document.repository, known, at), [])


async def define(server: Server, params: types.DefinitionParams) -> types.Location | None:
    """Return where the registry has the intent that a text names."""
    document = _looked_at(server, params)
    intent_id = document and mentions.mentioned(document, params.position, server.text(document.uri).position_codec)
    if document is None or intent_id is None:
        return None
    return await server.answer(lambda: mentions.definition(document.repository, intent_id), None)


async def refer(server: Server, params: types.ReferenceParams) -> list[types.Location]:
    """Return every line that was written for the intent that a text names."""
    document = _looked_at(server, params)
    intent_id = document and mentions.mentioned(document, params.position, server.text(document.uri).position_codec)
    if document is None or intent_id is None:
        return []
    repository, opened = document.repository, server.repositories.opened
    return await server.answer(lambda: mentions.references(repository, opened(repository), intent_id), [])


async def prepare_rename(server: Server, params: types.PrepareRenameParams) -> types.Range | None:
    """Return the id of an intent that can be renamed: those in the registry."""
    document, codec = _looked_at(server, params), server.text(params.text_document.uri).position_codec
    if document is None or document.path != _REGISTRY or mentions.mentioned(document, params.position, codec) is None:
        return None
    word = registry.word_at(document, params.position, codec)
    return word and word.place


async def rename(server: Server, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """Return the edits that give an intent another id in the registry."""
    document, codec = _looked_at(server, params), server.text(params.text_document.uri).position_codec
    old = document and mentions.mentioned(document, params.position, codec)
    if document is None or document.path != _REGISTRY or old is None:
        return None
    repository, opened = document.repository, server.repositories.opened
    try:
        edits = registry.renamed(document, codec, old, params.new_name)
        await server.ask(lambda: require_unused(opened(repository).tables, old))
    except LinetrailError as error:
        raise JsonRpcInvalidParams(str(error)) from None
    return types.WorkspaceEdit({document.uri: edits})


async def link(server: Server, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    """Return a link to the registry for each intent that a text names."""
    document = server.document(params.text_document.uri)
    if document is None or document.path == _REGISTRY:
        return []
    codec = server.text(document.uri).position_codec
    return await server.answer(lambda: mentions.links(document, codec), [])


async def find_symbols(server: Server, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
    """Return intents, decisions and sessions of the folders that are open."""
    found: list[types.WorkspaceSymbol] = []
    for folder in server.workspace.folders.values():
        found += await server.answer(partial(_symbols, server, folder.uri, params.query), [])
    return found


async def session(server: Server, params: types.CallHierarchyPrepareParams) -> list[types.CallHierarchyItem] | None:
    """Return the session that wrote a line."""
    document = _looked_at(server, params)
    if document is None:
        return None
    explainer, number = server.repositories.explainer, params.position.line + 1
    found = await server.answer(lambda: calls.session_at(document, explainer(document), number), None)
    return None if found is None else [found]


async def callers(
    server: Server, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall]:
    """Return the session that started one."""
    return await server.answer(lambda: list(calls.started_by(*_tables(server, params.item), params.item)), [])


async def called(
    server: Server, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall]:
    """Return the subagents and sessions that a session started."""
    return await server.answer(lambda: list(calls.started(*_tables(server, params.item), params.item)), [])


async def decide(server: Server, told: Any) -> str | None:
    """Record a decision about lines; without a title, say how it is recorded in a terminal."""
    document = server.document(told["uri"])
    if document is None:
        return None
    place = actions.place_of(document, told["first"], told["last"])
    if not told.get("title"):
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, actions.advice(place)))
        return None
    repository, opened = document.repository, server.repositories.opened
    title, why = told["title"], told.get("why")
    made = await server.answer(
        lambda: actions.record_decision(repository, opened(repository).tables, place, title, why), None
    )
    server.refresh()
    return made


async def correct(server: Server, told: Any) -> list[str] | None:
    """Record who wrote lines, as a person says; what is in the way of that, the person is told."""
    document = server.document(told["uri"])
    if document is None:
        return None
    opened = server.repositories.opened
    try:
        made = await server.ask(lambda: actions.corrected(document, opened(document.repository), told))
    except LinetrailError as error:
        server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, str(error)))
        return None
    server.refresh()
    return made


async def show_page(server: Server, told: Any) -> None:
    """Show a line on the page, in the person's browser."""
    document = server.document(told["uri"])
    if document is not None:
        address = await server.answer(lambda: _address(server, document, told["first"]), None)
        if address is not None:
            await server.window_show_document_async(types.ShowDocumentParams(address, external=True))


class Feature(NamedTuple):
    """The function that answers a method, and what an editor is told of it."""

    answer: Callable[..., Any]
    options: Any = None


FEATURES: Mapping[str, Feature] = {
    types.INITIALIZE: Feature(initialize),
    types.INITIALIZED: Feature(initialized),
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: Feature(configure),
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: Feature(watched),
    types.TEXT_DOCUMENT_DID_OPEN: Feature(opened),
    types.TEXT_DOCUMENT_DID_CHANGE: Feature(changed),
    types.TEXT_DOCUMENT_DID_SAVE: Feature(saved),
    types.TEXT_DOCUMENT_DID_CLOSE: Feature(closed),
    types.TEXT_DOCUMENT_HOVER: Feature(hover),
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: Feature(highlight),
    types.TEXT_DOCUMENT_INLAY_HINT: Feature(hints, types.InlayHintOptions(resolve_provider=True)),
    types.INLAY_HINT_RESOLVE: Feature(hint),
    types.TEXT_DOCUMENT_CODE_LENS: Feature(lenses),
    types.TEXT_DOCUMENT_DIAGNOSTIC: Feature(
        diagnose,
        types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier=findings.SOURCE),
    ),
    types.TEXT_DOCUMENT_CODE_ACTION: Feature(act),
    types.TEXT_DOCUMENT_COMPLETION: Feature(complete, types.CompletionOptions(trigger_characters=["/", " "])),
    types.TEXT_DOCUMENT_DEFINITION: Feature(define),
    types.TEXT_DOCUMENT_REFERENCES: Feature(refer),
    types.TEXT_DOCUMENT_PREPARE_RENAME: Feature(prepare_rename),
    types.TEXT_DOCUMENT_RENAME: Feature(rename, types.RenameOptions(prepare_provider=True)),
    types.TEXT_DOCUMENT_DOCUMENT_LINK: Feature(link),
    types.WORKSPACE_SYMBOL: Feature(find_symbols),
    types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: Feature(session),
    types.CALL_HIERARCHY_INCOMING_CALLS: Feature(callers),
    types.CALL_HIERARCHY_OUTGOING_CALLS: Feature(called),
}
COMMANDS = {actions.RECORD_DECISION: decide, actions.CORRECT: correct, actions.OPEN_PAGE: show_page}


def made(version: str) -> Server:
    """Return a server that has all of these."""
    server = Server(version)
    for method, feature in FEATURES.items():
        server.feature(method, feature.options)(feature.answer)
    for name, answer in COMMANDS.items():
        server.command(name)(answer)
    return server


def _looked_at(server: Server, params: Placed) -> Document | None:
    """Return the document that a place is in, and note that the caret is there."""
    document = server.document(params.text_document.uri)
    if document is not None:
        server.look(document.uri, params.position.line)
    return document


async def _publish(server: Server, uri: str) -> None:
    """Send what is wrong with a document to an editor that does not ask."""
    if not server.pulls():
        found = await _diagnosed(server, uri)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found))


async def _diagnosed(server: Server, uri: str) -> list[types.Diagnostic]:
    document = server.document(uri)
    if document is None:
        return []
    if document.path == _REGISTRY:
        return await server.answer(lambda: registry.diagnostics(document.text), [])
    if document.path in settings.FILES:
        return await server.answer(lambda: settings.diagnostics(document), [])
    opened, now = server.repositories.opened, datetime.now(UTC).replace(tzinfo=None)
    at_work: list[types.Diagnostic] = await server.answer(
        lambda: findings.at_work(document, opened(document.repository).tables, now), []
    )

    async def moment() -> object:
        return await server.answer(lambda: opened(document.repository).ledger, ""), head(document.repository)

    found = await server.audits.findings(document.repository, moment)
    return [*findings.found(document, found), *at_work]


def _key(document: Document, word: registry.Word | None) -> types.Hover | None:
    said = registry.hover(registry.named(document.text), word.text) if word else None
    if word is None or said is None:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.PlainText, said), word.place)


def _symbols(server: Server, folder: str, query: str) -> list[types.WorkspaceSymbol]:
    repository = require_ledger(find(uris.to_fs_path(folder) or ""))
    return mentions.symbols(repository, server.repositories.opened(repository).tables, query)


def _tables(server: Server, item: types.CallHierarchyItem) -> tuple[Any, Any]:
    repository = require_ledger(find(uris.to_fs_path(item.uri) or ""))
    return repository, server.repositories.opened(repository).tables


def _address(server: Server, document: Document, line: int) -> str:
    root = document.repository.root
    page = server.pages.get(root)
    if page is None or not page.is_open():
        page = server.pages[root] = Page(document.repository)
    return page.address(document.path, line)
