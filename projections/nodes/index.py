"""The definitions in a content, parsed once and cached by the hash of the content, on disk and in memory.

What is on disk may be deleted at any time; forgetting it costs time and nothing else.
"""

import contextlib
import hashlib
import json
import os
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import publish
from linetrail.ledger.repository import Repository
from linetrail.projections.nodes.sides import Side
from linetrail.projections.nodes.texts import plain
from linetrail.projections.syntax import definitions
from linetrail.projections.syntax.definitions import Definition, index
from linetrail.projections.syntax.language import Language, language_of
from linetrail.projections.syntax.parsing import UnparsableError

# 1: first layout of what is remembered.
LAYOUT = 1
# So many files are at hand at a time, and so many are remembered.
AT_HAND, MAX_FILES = 64, 20_000
# Nobody reads what is longer; it is data.
MAX_BYTES = 2 << 20


class DefinitionIndex:
    """The definitions of any contents of one repository; without `keep`, nothing more is remembered on disk."""

    def __init__(self, repository: Repository, *, keep: bool = True) -> None:
        self._folder = os.path.join(repository.folder, "cache", "definitions")
        self._keeps = keep and os.path.isdir(repository.folder)
        self._saved = False
        self.side = lru_cache(AT_HAND)(self._side)

    def close(self) -> None:
        """Keep the folder small: nothing tells which of its files anybody will ask for again."""
        if not self._saved:
            return
        with contextlib.suppress(OSError), os.scandir(self._folder) as entries:
            files = sorted((entry.stat().st_mtime_ns, entry.path) for entry in entries)
            for _, path in files[:-MAX_FILES]:
                os.unlink(path)

    def _side(self, path: str, content: bytes) -> Side:
        """Return a file with what it defines; one that nobody can parse defines nothing. Lines end as in git."""
        content = plain(content)
        language = language_of(path, content)
        if language is None or len(content) > MAX_BYTES:
            return Side(path, content, ())
        file = os.path.join(self._folder, f"{_name(language, content)}.json")
        known = _load(file)
        if known is None:
            known = _parsed(language, content)
            if self._keeps:
                self._saved = True
                _save(file, known)
        return Side(path, content, known)


def _parsed(language: Language, content: bytes) -> list[Definition]:
    try:
        return index(language, content)
    except UnparsableError:
        return []


def _name(language: Language, content: bytes) -> str:
    """Name definitions by all that they follow from."""
    return hashlib.sha256(f"{LAYOUT}\0{rules(language)}\0".encode() + content).hexdigest()


@cache
def rules(language: Language) -> str:
    """Name what definitions are found with: the language as it is described, its grammar, the code that reads it."""
    code = [file.read_bytes() for file in sorted(Path(definitions.__file__).parent.glob("*.py"))]
    grammar = find_spec(language.module)
    installed = os.stat(grammar.origin).st_mtime_ns if grammar and grammar.origin else 0
    return hashlib.sha256(b"\0".join([repr(language).encode(), str(installed).encode(), *code])).hexdigest()


def _load(file: str) -> list[Definition] | None:
    try:
        with open(file, "rb") as opened:
            return [Definition(*fields) for fields in json.load(opened)]
    except (OSError, ValueError, TypeError):
        return None


def _save(file: str, found: list[Definition]) -> None:
    with contextlib.suppress(OSError, StorageError):
        publish(file, json.dumps(found).encode(), durable=False)
