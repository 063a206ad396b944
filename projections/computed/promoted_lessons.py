"""Lessons that a person put into an instruction file, as HEAD has it."""

import re
from collections.abc import Iterator

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.knowledge import marked_part
from linetrail.ledger.knowledge.markdown_line import unescaped
from linetrail.ledger.repository import git
from linetrail.projections.tables.tables import Asked

ABOUT = "one row is one lesson in one instruction file at HEAD"
COLUMNS = {"lesson_id": "VARCHAR", "path": "VARCHAR"}
VERSION = 1

FILES = ("AGENTS.md", "CLAUDE.md")
PART = "lessons"
_LINE = re.compile(r"- .*\[((?:[^\\\[\]]|\\.)+)\]\s*")


def key(asked: Asked) -> str | None:
    """Name the lessons by the commit."""
    return asked.head


def rows(asked: Asked) -> Iterator[tuple[object, ...]]:
    """Yield the lessons by file, in its order."""
    for path in FILES if asked.head else ():
        content = git(asked.repository, "cat-file", "blob", f"{asked.head}:{path}")
        for line in (_part(content) or "").splitlines() if content else ():
            if found := _LINE.fullmatch(line):
                yield unescaped(found[1]), path


def _part(content: bytes) -> str | None:
    try:
        return marked_part.take(content, PART)
    except LinetrailError:
        return None
