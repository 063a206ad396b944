"""The rows of Cursor's database that conversations are made of, copied so that Cursor is not disturbed.

The same file holds Cursor's tokens, in the table ``ItemTable``. That table is never read: SQLite itself refuses it to
the connection that reads here, and the copy, unlike one of the whole file, has nothing but the rows of conversations.
All rows are of one moment, also those that are still in the write-ahead log; nothing is written beside the database.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from linetrail.ledger.event.drafts import text_digest
from linetrail.ledger.files import PRIVATE_FILE
from linetrail.queries.importers.histories.calls import document
from linetrail.queries.importers.histories.history import HistoryError
from linetrail.queries.importers.transcript import MAX_LINE_BYTES

COMPOSER, BUBBLE, CONTENT = "composerData:", "bubbleId:", "composer.content."
TABLE = "cursorDiskKV"
# How long a lock of Cursor's is waited for.
WAIT_SECONDS = 2.0
_READING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_FUNCTION})
_WANTED = f"select key, value from {TABLE} where key >= ? and key < ? and length(value) <= ?"  # noqa: S608  a name of our own


class Rows:
    """The rows of one database, as they were when they were copied into a private folder."""

    def __init__(self, path: str, folder: str) -> None:
        self._copy = os.path.join(folder, text_digest(path).removeprefix("sha256:"))
        os.close(os.open(self._copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE))
        try:
            with contextlib.closing(opened(path)) as source, contextlib.closing(sqlite3.connect(self._copy)) as target:
                target.execute("create table rows (key text primary key, value blob) without rowid")
                target.executemany("insert or replace into rows values (?, ?)", _rows(source))
                target.commit()
        except sqlite3.Error as error:
            raise HistoryError(_why(error)) from None

    def composers(self) -> Iterator[str]:
        """Yield the names of the conversations."""
        with contextlib.closing(sqlite3.connect(self._copy)) as copy:
            found = copy.execute("select key from rows where key >= ? and key < ? order by key", _range(COMPOSER))
            names = [str(key).removeprefix(COMPOSER) for (key,) in found]
        yield from (name for name in names if 0 < len(name) <= 256)

    def raw(self, key: str) -> bytes:
        """Return a value as it is; nothing where there is no such row."""
        with contextlib.closing(sqlite3.connect(self._copy)) as copy:
            found = copy.execute("select value from rows where key = ?", (key,)).fetchone()
        value = found[0] if found else b""
        return value.encode(errors="replace") if isinstance(value, str) else bytes(value or b"")

    def document(self, key: str) -> Mapping[str, Any]:
        """Return a value that is a JSON object, else an empty one."""
        return document(self.raw(key))

    def text(self, key: str) -> str | None:
        """Return a whole text of a file; None where it was not kept."""
        if not key.startswith(CONTENT):
            return None
        with contextlib.closing(sqlite3.connect(self._copy)) as copy:
            found = copy.execute("select value from rows where key = ?", (key,)).fetchone()
        if not found or found[0] is None:
            return None
        return found[0] if isinstance(found[0], str) else bytes(found[0]).decode(errors="replace")


def opened(path: str) -> sqlite3.Connection:
    """Open a database so that one table of it can be read, and nothing else be done."""
    source = sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro", uri=True, timeout=WAIT_SECONDS)
    source.set_authorizer(_authorize)
    return source


def _rows(source: sqlite3.Connection) -> Iterator[tuple[str, Any]]:
    # one transaction: all ranges are of one moment
    source.execute("begin")
    for prefix in (COMPOSER, BUBBLE, CONTENT):
        yield from source.execute(_WANTED, (*_range(prefix), MAX_LINE_BYTES))


def _range(prefix: str) -> tuple[str, str]:
    return prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)


def _authorize(action: int, table: str | None, _column: str | None, _database: str | None, _by: str | None) -> int:
    """Let one table be read and nothing else be done."""
    is_ours = action == sqlite3.SQLITE_READ and table == TABLE
    return sqlite3.SQLITE_OK if is_ours or action in _READING else sqlite3.SQLITE_DENY


def _why(error: sqlite3.Error) -> str:
    text = str(error)
    if "locked" in text:
        return "locked: close Cursor, or try again later"
    if "no such table" in text:
        return "no conversations: the database has no table for them"
    return f"cannot be read: {text}"[:200]
