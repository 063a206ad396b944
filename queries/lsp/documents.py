"""What an editor has open: which file of which repository it is, and its text, saved or not."""

import codecs
import os
from collections.abc import Sequence
from typing import NamedTuple

from linetrail.ledger.errors import NotARepositoryError
from linetrail.ledger.files import is_binary
from linetrail.ledger.repository import Repository, find, head
from linetrail.projections.git.target import Target, TargetError, locate, on_disk


class Document(NamedTuple):
    """A text in an editor; `path` is how the ledger spells its file."""

    uri: str
    repository: Repository
    path: str
    text: str

    @property
    def lines(self) -> Sequence[str]:
        """The lines, without their ends; a text that ends with a newline has no empty last one."""
        lines = self.text.split("\n")
        return [line.removesuffix("\r") for line in (lines[:-1] if lines[-1] == "" else lines)]


def document(uri: str, file: str, text: str) -> Document | None:
    """Return what an editor has open; None for what is no file of a repository with a ledger."""
    folder, name = os.path.split(file)
    try:
        repository = find(folder)
        path = locate(repository, folder, name)
    except (NotARepositoryError, TargetError):
        return None
    is_text = not is_binary(text.encode("utf-8", "replace"))
    return Document(uri, repository, path, text) if repository.has_ledger() and is_text else None


def target(document: Document) -> Target:
    """Return the content to explain: the text of the editor, as the file would hold it after saving."""
    now = head(document.repository)
    held = on_disk(document.repository, document.path) or b""
    return Target(document.path, _content(document, held), None, now.revision if now else None)


def _content(document: Document, held: bytes) -> bytes:
    """Return the bytes of a text, by the encoding in which the editor seems to have read the file."""
    if held.decode("utf-8-sig", "replace") == document.text or held.decode("latin-1") == document.text:
        return held
    if held.startswith(codecs.BOM_UTF8):
        return document.text.encode("utf-8-sig", "replace")
    try:
        held.decode()
    except UnicodeDecodeError:
        return document.text.encode("latin-1", "replace")
    return document.text.encode("utf-8", "replace")
