"""An editor without a screen: a client of the real server process, with what a real editor says that it can."""

import asyncio
import subprocess
import threading
from pathlib import Path

import pytest
from lsprotocol import types
from pygls import uris
from pytest_lsp import client_capabilities, make_test_lsp_client

from tests.conftest import command

SECONDS = 120
PRESETS = {"neovim": "neovim@0.11.0", "emacs": "emacs@29.1", "vscode": "visual_studio_code@1.65.2"}


class Editor:
    """An editor with some folders open; positions are lines and columns from 1, as people count them."""

    def __init__(self, capabilities, *folders, argument="lsp"):
        self.killed = False
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.client = make_test_lsp_client()
        self.run(self.client.start_io(command("linetrail"), argument))
        self.started = self.run(
            self.client.initialize_session(
                types.InitializeParams(
                    capabilities=capabilities,
                    workspace_folders=[types.WorkspaceFolder(uris.from_fs_path(str(one)), one.name) for one in folders],
                )
            )
        )

    def begin(self):
        """Have the settings of a new editor, and forget what was said."""
        self.set(hints="line", lens=False)
        self.client.messages.clear()
        self.client.log_messages.clear()

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(SECONDS)

    def open(self, file, text=None, language="python"):
        """Open a file, with this text where it was edited and not saved."""
        uri = uris.from_fs_path(str(file))
        text = Path(file).read_bytes().decode() if text is None else text
        document = types.TextDocumentItem(uri, language, 1, text)
        self.tell("text_document_did_open", types.DidOpenTextDocumentParams(document))
        return uri

    def edit(self, uri, text):
        """Replace the whole text, without saving it."""
        change = types.TextDocumentContentChangeWholeDocument(text)
        document = types.VersionedTextDocumentIdentifier(2, uri)
        self.tell("text_document_did_change", types.DidChangeTextDocumentParams(document, [change]))

    def tell(self, name, told):
        self.loop.call_soon_threadsafe(getattr(self.client, name), told)

    def ask(self, name, params):
        return self.run(getattr(self.client, f"{name}_async")(params))

    def hover(self, uri, line, column=1):
        found = self.ask("text_document_hover", types.HoverParams(_document(uri), _place(line, column)))
        return found and found.contents.value

    def hints(self, uri, first=1, last=1000):
        place = types.Range(_place(first, 1), _place(last, 1))
        return self.ask("text_document_inlay_hint", types.InlayHintParams(_document(uri), place))

    def diagnostics(self, uri):
        return self.ask("text_document_diagnostic", types.DocumentDiagnosticParams(_document(uri))).items

    def actions(self, uri, first, last):
        place = types.Range(_place(first, 1), _place(last, 1))
        asked = types.CodeActionParams(_document(uri), place, types.CodeActionContext([]))
        return self.ask("text_document_code_action", asked)

    def complete(self, uri, line, column):
        asked = types.CompletionParams(_document(uri), _place(line, column))
        return [one.label for one in self.ask("text_document_completion", asked)]

    def set(self, **settings):
        self.tell("workspace_did_change_configuration", types.DidChangeConfigurationParams({"linetrail": settings}))

    def at(self, kind, uri, line, column=1, **more):
        """Ask something about a place, by the name of its parameters."""
        return kind(text_document=_document(uri), position=_place(line, column), **more)

    def kill(self):
        """Kill the server, which has no time to put anything in order."""
        self.client._server.kill()  # noqa: SLF001  the client has no other name for it
        self.killed = True

    def end(self):
        if self.killed:
            self.loop.call_soon_threadsafe(self.loop.stop)
            return
        self.run(self.client.shutdown_session())
        self.run(self.client.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)


def _document(uri):
    return types.TextDocumentIdentifier(uri)


def _place(line, column):
    return types.Position(line - 1, column - 1)


@pytest.fixture(scope="session")
def editors():
    """The editors that were started, by what they can: each serves all tests, with what they open."""
    started = {}
    yield started
    for one in started.values():
        one.end()


@pytest.fixture
def editor(editors):
    """Return a function that returns an editor, as one of PRESETS; with folders, those are its workspace."""

    def start(*folders, preset="neovim", encoding=None, markdown=True):
        asked = (folders, preset, encoding, markdown)
        if asked not in editors:
            capabilities = client_capabilities(PRESETS[preset])
            if encoding is not None:
                capabilities.general = types.GeneralClientCapabilities(position_encodings=[encoding])
            if not markdown:
                capabilities.text_document.hover.content_format = [types.MarkupKind.PlainText]
            editors[asked] = Editor(capabilities, *folders)
        editors[asked].begin()
        return editors[asked]

    return start


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    """The demonstration."""
    folder = tmp_path_factory.mktemp("demo") / "shop"
    subprocess.run([command("linetrail"), "demo", folder], check=True, capture_output=True)
    return folder
