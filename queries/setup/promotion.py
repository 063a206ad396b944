"""Put lessons into the instruction file that every agent reads first, and take them out again.

Only a person does that. What else stands between the markers, a person's own words too, stays as it is.
"""

import re

from linetrail.ledger.knowledge import marked_part
from linetrail.ledger.knowledge.lesson import Lesson, worded
from linetrail.ledger.knowledge.markdown_line import escaped, unescaped
from linetrail.ledger.repository import Repository
from linetrail.queries.setup.instructions import locate

PART = "lessons"
HEAD = "Learned in this repository (`linetrail lesson list`):\n\n"
_LINE = re.compile(r"- .*\[((?:[^\\\[\]]|\\.)+)\]\s*")


def promote(repository: Repository, lesson: Lesson, name: str) -> bool:
    """Put a lesson into an instruction file, or tell it there as it is now; return whether that changed anything."""

    def change(content: bytes | None) -> bytes:
        inner = (None if content is None else marked_part.take(content, PART)) or HEAD
        lines = [_line(lesson) if _id(line) == lesson.id else line for line in inner.splitlines()]
        if lesson.id not in map(_id, lines):
            lines.append(_line(lesson))
        return marked_part.with_part(content, PART, "".join(f"{line}\n" for line in lines))

    return marked_part.edit(repository, locate(repository, name), change, durable=True)


def demote(repository: Repository, lesson_id: str, name: str) -> bool:
    """Take a lesson out of an instruction file, and our part with the last; return whether it was there."""

    def change(content: bytes | None) -> bytes | None:
        inner = None if content is None else marked_part.take(content, PART)
        if content is None or inner is None:
            return content
        lines = inner.splitlines()
        kept = [line for line in lines if _id(line) != lesson_id]
        if len(kept) == len(lines):
            return content
        if not any(map(_id, kept)):
            return marked_part.without_part(content, PART)
        return marked_part.put(content, PART, "".join(f"{line}\n" for line in kept))

    return marked_part.edit(repository, locate(repository, name), change, durable=True)


def _line(lesson: Lesson) -> str:
    return f"- {worded(lesson)} [{escaped(lesson.id)}]"


def _id(line: str) -> str | None:
    found = _LINE.fullmatch(line)
    return None if found is None else unescaped(found[1])
