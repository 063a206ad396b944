"""The server of one editor: what it has open, what is known of its repositories, and how it is asked.

All questions are asked in one thread, one after the other, so an editor that changes its mind takes back what has not
begun. Nothing runs while nobody asks. What is no file of a repository with a ledger gets no answer.
"""

import asyncio
import os
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from linetrail.ledger.errors import DamageWarning, LinetrailError
from linetrail.ledger.hook.loop import finish
from linetrail.ledger.intents import registry_file
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, is_waiting
from linetrail.projections.blame.blame import Opened
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.answers.why.line import Explainer
from linetrail.queries.lsp.audits import Audits
from linetrail.queries.lsp.documents import Document, document, target

if TYPE_CHECKING:
    from linetrail.projections.git.target import Target
    from linetrail.queries.lsp.page import Page

T = TypeVar("T")

# What the setting `hints` may be: behind the line of the caret, behind every line, nowhere.
LINE, FILE, OFF = "line", "file", "off"
# So many contents are at hand at a time.
MAX_CONTENTS = 32
# Views that are few rows made of many, and that each reason asks for.
HELD = ("v_intents", "v_sessions")


class Repositories:
    """The tables of each repository, and the contents that were explained last; one thread asks at a time."""

    def __init__(self) -> None:
        self._opened: dict[str, Opened] = {}
        self._explainers: OrderedDict[tuple[str, str, Target], Explainer] = OrderedDict()

    def opened(self, repository: Repository) -> Opened:
        """Return the tables over all that is recorded now."""
        if is_waiting(repository):
            finish(repository)  # as each command does: an answer is over all that hooks have read
        ledger = Ledger(repository).digest()
        known = self._opened.get(repository.root)
        if known is not None and known.ledger == ledger:
            return known
        if known is not None:
            known.tables.close()
        tables = open_tables(repository)
        for name in HELD:
            tables.hold(name)
        self._opened[repository.root] = Opened(ledger, tables)
        return self._opened[repository.root]

    def explainer(self, document: Document) -> Explainer:
        """Return what explains the lines of a text as it is now."""
        opened = self.opened(document.repository)
        meant = target(document)
        key = (document.repository.root, opened.ledger, meant)
        if key not in self._explainers:
            self._explainers[key] = Explainer(document.repository, meant, opened)
        self._explainers.move_to_end(key)
        while len(self._explainers) > MAX_CONTENTS:
            self._explainers.popitem(last=False)
        return self._explainers[key]

    def close(self) -> None:
        """Let go of all tables."""
        for opened in self._opened.values():
            opened.tables.close()
        self._opened.clear()


class Server(LanguageServer):
    """The server of one editor."""

    def __init__(self, version: str) -> None:
        # An editor sends the whole text: what counts as a line in an edit is not the same for all libraries.
        super().__init__("linetrail", version, types.TextDocumentSyncKind.Full)
        self.repositories = Repositories()
        self.audits = Audits()
        self.hints, self.lens = LINE, False
        # the line of the caret in each document, counted from 1, as far as the editor has told of it
        self.carets: dict[str, int] = {}
        self.pages: dict[str, Page] = {}
        self._asking = ThreadPoolExecutor(1, "linetrail")
        self._told: set[str] = set()

    async def ask(self, question: Callable[[], T]) -> T:
        """Return what a question comes to in the thread of questions, or raise what it raises."""
        return await asyncio.get_running_loop().run_in_executor(self._asking, question)

    async def answer(self, question: Callable[[], T], otherwise: T) -> T:
        """Return what a question comes to in the thread of questions; what cannot be answered is said once."""
        found, problems = await self.ask(lambda: _asked(question, otherwise))
        for problem in problems:
            if problem not in self._told:
                self._told.add(problem)
                self.window_log_message(types.LogMessageParams(types.MessageType.Warning, problem))
        return found

    def set(self, settings: Mapping[str, object]) -> None:
        """Take over what a person has set: `hints`, `lens`; what it cannot be stays as it was."""
        hints, lens = settings.get("hints"), settings.get("lens")
        self.hints = hints if hints in (LINE, FILE, OFF) else self.hints
        self.lens = lens if isinstance(lens, bool) else self.lens

    def reads_markdown(self) -> bool:
        """Return whether the editor shows Markdown where something is pointed at."""
        of_text = self.client_capabilities.text_document
        hover = of_text.hover if of_text else None
        return types.MarkupKind.Markdown in ((hover.content_format if hover else None) or ())

    def document(self, uri: str) -> Document | None:
        """Return what an editor has open; None where there is nothing to say about it."""
        text = self.text(uri)
        try:
            return document(uri, text.path, text.source)
        except (OSError, UnicodeDecodeError):
            return None  # it was closed, and is gone or no text

    def text(self, uri: str) -> TextDocument:
        """Return the text of a document, and how its places are counted."""
        return self.workspace.get_text_document(uri)

    def registry(self, repository: Repository) -> str:
        """Return the registry of intents: as the editor has it, else as it is on the disk."""
        file = os.path.realpath(registry_file.path(repository))
        for one in self.workspace.text_documents.values():
            if os.path.realpath(one.path) == file:
                return str(one.source)
        try:
            return (registry_file.load(repository) or b"").decode("utf-8", "replace")
        except LinetrailError:
            return ""  # nothing can be added to it, either

    def look(self, uri: str, line: int) -> None:
        """Note where the caret is, and have the hint follow it."""
        if self.carets.get(uri) != line + 1:
            self.carets[uri] = line + 1
            if self.hints == LINE:
                self._refresh("inlay_hint", self.workspace_inlay_hint_refresh)

    def refresh(self) -> None:
        """Have the editor ask again: something was recorded, committed or saved."""
        self.audits.forget()
        self._refresh("inlay_hint", self.workspace_inlay_hint_refresh)
        self._refresh("code_lens", self.workspace_code_lens_refresh)
        self._refresh("diagnostics", self.workspace_diagnostic_refresh)

    def pulls(self) -> bool:
        """Return whether the editor asks for diagnostics; to others they are sent."""
        of_text = self.client_capabilities.text_document
        return of_text is not None and of_text.diagnostic is not None

    def shutdown(self) -> None:
        """Let go of tables, and of the page that was opened."""
        self._asking.shutdown(cancel_futures=True)
        self.repositories.close()
        for page in self.pages.values():
            page.close()
        super().shutdown()  # type: ignore[no-untyped-call]  # pygls gives it no type

    def _refresh(self, feature: str, request: Callable[[None], object]) -> None:
        of_workspace = self.client_capabilities.workspace
        able = of_workspace and getattr(of_workspace, feature, None)
        if able and able.refresh_support:
            request(None)


def _asked(question: Callable[[], T], otherwise: T) -> tuple[T, list[str]]:
    """Ask, and return what the answer leaves out; a refusal comes to `otherwise`."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DamageWarning)
        try:
            found, problems = question(), []
        except LinetrailError as error:
            found, problems = otherwise, [str(error)]
    return found, [*problems, *(str(one.message) for one in caught if isinstance(one.message, DamageWarning))]
