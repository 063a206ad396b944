"""Help with writing ``config.yaml`` and ``policy.yaml``: what the readers of both files say of a text."""

import re
from collections.abc import Callable, Mapping

from lsprotocol import types

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.gate import settings_text
from linetrail.ledger.gate.settings import Settings
from linetrail.ledger.repository import FOLDER
from linetrail.queries.audit import policy, policy_file
from linetrail.queries.lsp.documents import Document
from linetrail.queries.lsp.findings import SOURCE

# stored path of a file -> its reader, which raises at the first mistake, and the keys at its top
FILES: Mapping[str, tuple[Callable[[bytes, str], object], tuple[str, ...]]] = {
    f"{FOLDER}/{name}": (lambda content, file: settings_text.parse(content, file, Settings()), settings_text.KEYS)
    for name in ("config.yaml", "config.local.yaml")
} | {f"{FOLDER}/{policy_file.FILE}": (policy.parse, tuple(policy.Policy.model_fields))}
_LINE = re.compile(r"[^:]*:(\d+): (.*)", re.DOTALL)


def diagnostics(document: Document) -> list[types.Diagnostic]:
    """Return the first mistake of a file of settings, at its line."""
    reader, _ = FILES[document.path]
    try:
        reader(document.text.encode("utf-8", "replace"), "settings")
    except LinetrailError as error:
        found = _LINE.fullmatch(str(error))
        line = min(int(found[1]), max(len(document.lines), 1)) if found else 1
        length = len(document.lines[line - 1]) if document.lines else 0
        place = types.Range(types.Position(line - 1, 0), types.Position(line - 1, length))
        message = found[2] if found else str(error)
        return [types.Diagnostic(place, message, types.DiagnosticSeverity.Error, source=SOURCE)]
    return []


def completion(document: Document, before: str) -> list[types.CompletionItem]:
    """Return the keys that may begin a line."""
    _, keys = FILES[document.path]
    if not re.fullmatch(r"\w*", before):
        return []
    return [types.CompletionItem(key, kind=types.CompletionItemKind.Property, insert_text=f"{key}: ") for key in keys]
