"""What is left to do, session by session: the list in TODO.md that the next session is shown.

Our part of ``.orchestration/TODO.md``, between markers, has a section for each session with something open, the
latest first. A person's ticks count, and stay when the agent still believes that there is something to do.
"""

import os
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.event.event import rfc3339
from linetrail.ledger.knowledge import marked_part
from linetrail.ledger.knowledge.markdown_line import clean, escaped, unescaped, visible
from linetrail.ledger.repository import Repository

FILE, PART = "TODO.md", "todo"
PENDING, IN_PROGRESS, COMPLETED, TICKED = "pending", "in_progress", "completed", "ticked"
MAX_SESSIONS, MAX_ITEMS, MAX_BYTES, MAX_CONTENT, MAX_ID = 10, 40, 16_384, 200, 128
# No line of ours is longer, however much of it has to be escaped.
MAX_LINE = 4096
HEAD = """\
# To do

What sessions left open, the latest first. linetrail keeps this list; tick what is done. Write outside of the markers.
"""
# No session, or no intent.
ABSENT = "-"

# status -> the box before an item, and what is said behind it. A tick without a word is a person's.
_BOXES = {
    PENDING: ("[ ]", ""),
    IN_PROGRESS: ("[ ]", " *in progress*"),
    COMPLETED: ("[x]", " *done*"),
    TICKED: ("[x]", ""),
}
_ORDER = {IN_PROGRESS: 0, PENDING: 1, TICKED: 2, COMPLETED: 3}
_TEXT = r"((?:[^\\*]|\\.)+?)"
_ITEM = re.compile(rf"[-*+] \[([ xX])\] {_TEXT}( \*in progress\*| \*done\*)?\s*")
_HEADING = re.compile(r"## session ((?:[^\\|]|\\.)+?) \| intent ((?:[^\\|]|\\.)+?) \| (\S+)\s*")


class Item(NamedTuple):
    """One thing to do; `status` is the agent's word for it, or `ticked` where a person said that it is done."""

    content: str
    status: str

    @property
    def open(self) -> bool:
        """It is still to be done."""
        return self.status in (PENDING, IN_PROGRESS)


class Section(NamedTuple):
    """What one session has to do, as of `at`."""

    session_id: str
    intent_id: str | None
    at: str
    items: tuple[Item, ...]

    @property
    def open(self) -> bool:
        """Something of it is still to be done."""
        return any(item.open for item in self.items)


def path(repository: Repository) -> str:
    return os.path.join(repository.folder, FILE)


def remember(repository: Repository, session_id: str, intent_id: str | None, todos: Any, now_ns: int) -> bool:
    """Keep the list that an agent just made for its session, and return whether the file had to be written.

    `todos` is what the tool was given, whatever that is. Other sessions' sections stay as they are.
    """
    own = Section(
        clean(session_id, MAX_ID) or ABSENT,
        (clean(intent_id, MAX_ID) or None) if intent_id else None,
        rfc3339(now_ns)[:19] + "Z",
        tuple(_items(todos)),
    )

    def change(content: bytes | None) -> bytes | None:
        before = parse(content)
        after = merged(before, own)
        return content if after == before else marked_part.with_part(content, PART, render(after))

    return marked_part.edit(repository, path(repository), change)


def open_items(repository: Repository, *, session_id: str | None, intent_id: str | None, limit: int) -> list[str]:
    """Return what is left to do for a session that begins: its own, then of its intent, then of the session before.

    Nothing where the file cannot be read.
    """
    try:
        sections = parse(marked_part.read(path(repository)))
    except (LinetrailError, OSError, ValueError):
        return []
    own = [section for section in sections if session_id is not None and section.session_id == session_id]
    others = [section for section in sections if section not in own]
    same = [section for section in others if intent_id is not None and section.intent_id == intent_id]
    items = (item for section in [*own, *same, *others[:1]] for item in section.items if item.open)
    return list(dict.fromkeys(item.content for item in items))[:limit]


def merged(sections: tuple[Section, ...], own: Section) -> tuple[Section, ...]:
    """Put a session's new list in the place of its old one, and drop what is done or too much."""
    ticked = {
        item.content
        for section in sections
        if section.session_id == own.session_id
        for item in section.items
        if item.status == TICKED
    }
    items = [
        item._replace(status=TICKED) if item.open and item.content in ticked else item
        for item in {item.content: item for item in own.items}.values()
    ]
    items.sort(key=lambda item: _ORDER[item.status])
    own = own._replace(items=tuple(items[:MAX_ITEMS]))
    others = [section for section in sections if section.session_id != own.session_id]
    return _capped([section for section in (own, *others) if section.open])


def parse(content: bytes | None) -> tuple[Section, ...]:
    """Read our part of the file; a line that is neither a heading nor an item is passed over."""
    inner = None if content is None else marked_part.take(content, PART)
    sections: list[Section] = []
    for line in visible(inner or "").split("\n"):
        if len(line) > MAX_LINE:
            continue
        if heading := _HEADING.fullmatch(line):
            session, intent = unescaped(heading[1])[:MAX_ID], heading[2]
            intent_id = None if intent == ABSENT else unescaped(intent)[:MAX_ID]
            sections.append(Section(session, intent_id, unescaped(heading[3])[:MAX_ID], ()))
        elif sections and (item := _item(line)):
            sections[-1] = sections[-1]._replace(items=(*sections[-1].items, item))
    return tuple(sections)


def render(sections: Iterable[Section]) -> str:
    return HEAD + "".join(f"\n{line}\n" if line.startswith("#") else f"{line}\n" for line in _lines(sections))


def _lines(sections: Iterable[Section]) -> Iterator[str]:
    for section in sections:
        intent = ABSENT if section.intent_id is None else _not_absent(section.intent_id)
        yield f"## session {escaped(section.session_id)} | intent {intent} | {section.at}"
        yield ""
        for item in section.items:
            box, word = _BOXES[item.status]
            yield f"- {box} {escaped(item.content)}{word}"


def _not_absent(intent_id: str) -> str:
    return f"\\{intent_id}" if intent_id == ABSENT else escaped(intent_id)


def _item(line: str) -> Item | None:
    found = _ITEM.fullmatch(line)
    if found is None:
        return None
    done, word = found[1] != " ", (found[3] or "").strip(" *")
    if done:
        status = COMPLETED if word == "done" else TICKED
    else:
        status = IN_PROGRESS if word == "in progress" else PENDING
    return Item(unescaped(found[2])[:MAX_CONTENT], status)


def _items(todos: Any) -> Iterator[Item]:
    """Yield what is of use in the list that a tool was given."""
    for todo in todos if isinstance(todos, list) else ():
        content = todo.get("content") if isinstance(todo, dict) else None
        if isinstance(content, str) and (text := clean(content, MAX_CONTENT)):
            status = todo.get("status")
            yield Item(text, status if status in (PENDING, IN_PROGRESS, COMPLETED) else PENDING)


def _capped(sections: list[Section]) -> tuple[Section, ...]:
    """Drop the oldest sessions, then the last items of the latest, until the rest fits."""
    kept = sections[:MAX_SESSIONS]
    while len(kept) > 1 and len(render(kept).encode()) > MAX_BYTES:
        kept.pop()
    while kept and len(kept[0].items) > 1 and len(render(kept).encode()) > MAX_BYTES:
        kept[0] = kept[0]._replace(items=kept[0].items[:-1])
    return tuple(kept)
