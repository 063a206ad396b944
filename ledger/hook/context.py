"""Write what an agent needs to know of its intent, and no more: facts between tags, cut to a budget.

Everything that people or agents wrote is escaped, so no text of an intent, a path or a lesson can end its element;
what is left out is counted. A token is taken to be three bytes of UTF-8, which errs on the safe side.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.intents.intent import Intent

BYTES_PER_TOKEN = 3
MAX_ITEM = 200
# The share of the budget that one list may take while others wait.
_SHARE = 0.4
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"})


class Section(NamedTuple):
    """One list of the context: the tag around it, the tag of each item, and the items, most useful first."""

    tag: str
    item: str
    items: Sequence[str]


def intent_context(intent: Intent, *, recent: Sequence[str] = (), lessons: Sequence[str] = (), tokens: int) -> str:
    """Return the `<intent_context>` of an intent: what it may change, what it must keep, and what was learned."""
    head = [f"  <name>{escaped(intent.name)}</name>", f"  <status>{escaped(intent.status)}</status>"]
    sections = [
        Section("owned_scope", "pattern", intent.scope),
        Section("constraints", "constraint", intent.constraints),
        Section("acceptance_criteria", "criterion", intent.criteria),
        Section("recent_changes", "change", recent),
        Section("lessons", "lesson", lessons),
    ]
    first, last = f'<intent_context intent_id="{escaped(intent.id)}">', "</intent_context>"
    room = tokens * BYTES_PER_TOKEN - sum(len(line.encode()) + 1 for line in (first, *head, last))
    return "\n".join([first, *head, *_body(sections, room), last])


def escaped(text: str) -> str:
    r"""Return a text as XML holds it, on one line, without control signs and what only changes how others are shown.

    >>> escaped("</name>\u202e & more")
    '&lt;/name&gt; &amp; more'
    """
    plain = "".join(sign for sign in " ".join(text.split()) if sign.isprintable())
    return (plain if len(plain) <= MAX_ITEM else f"{plain[: MAX_ITEM - 1]}…").translate(_ESCAPES)


def _body(sections: Iterable[Section], room: int) -> Iterator[str]:
    waiting = [section for section in sections if section.items]
    for at, section in enumerate(waiting):
        lines = _lines(section, room if at == len(waiting) - 1 else int(room * _SHARE))
        room -= sum(len(line.encode()) + 1 for line in lines)
        yield from lines


def _lines(section: Section, room: int) -> list[str]:
    """Return a list as far as there is room, and say how many items are not in it; nothing where there is none."""
    first, last = f"  <{section.tag}>", f"  </{section.tag}>"
    room -= len(first) + len(last) + len('    <more count="999999"/>') + 3
    if room < 0:
        return []
    lines: list[str] = []
    for at, item in enumerate(section.items):
        line = f"    <{section.item}>{escaped(item)}</{section.item}>"
        room -= len(line.encode()) + 1
        if room < 0:
            lines.append(f'    <more count="{len(section.items) - at}"/>')
            break
        lines.append(line)
    return [first, *lines, last]
