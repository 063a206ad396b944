"""One lesson: what went wrong, where, how often; and the line of AGENT.md that says so.

The id is made of the meaning, so the same thing learned again, in another session or another clone, is the same lesson.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from linetrail.ledger.files import sha256
from linetrail.ledger.knowledge.markdown_line import clean, escaped, unescaped, visible

DENIAL, COMMAND, VERIFICATION, DEMAND = "denial", "command", "verification", "demand"
SOURCES = (DENIAL, COMMAND, VERIFICATION, DEMAND)
MAX_TITLE, MAX_BODY, MAX_WORD, MAX_PATH, MAX_INTENTS = 120, 240, 60, 200, 8
# No line of ours is longer, however much of it has to be escaped.
MAX_LINE = 8192
ABSENT = "-"

# Each part ends at a sign that is escaped inside of it, so there is one way only to read a line.
_LINE = re.compile(r"- \*\*((?:[^\\*]|\\.)+)\*\*(?: ((?:[^\\\[]|\\.)*))? \[((?:[^\\\[\]]|\\.)+)\]\s*")
_FIELDS = re.compile(r"((?:[^\\|]|\\.)*)(?:\||$)")
_INTENTS = re.compile(r"((?:[^\\,]|\\.)+)(?:, |$)")
_TIMES = re.compile(r"once|([1-9][0-9]{0,8}) times")
# An asterisk of a text is escaped, so that none of these stands in one.
_PARTS = re.compile(r"(?:^| )\*(Resolution|Pattern):\* ")


class Lesson(NamedTuple):
    """What went wrong and, where somebody said so, how it is put right and by what it is known when it comes again.

    `path` is a file, a folder as `name/**`, or what a program is called.
    """

    id: str
    title: str
    body: str = ""
    source: str = DEMAND
    code: str | None = None
    path: str | None = None
    intent_ids: tuple[str, ...] = ()
    times: int = 1
    resolution: str = ""
    pattern: str = ""

    @property
    def brief(self) -> str:
        """All that it says, as plain text on one line; what helps comes first, since a reader may have little room."""
        told = {"Resolution": self.resolution, "Pattern": self.pattern}
        helps = " ".join(f"{name}: {text}" for name, text in told.items() if text)
        stop = "" if self.title[-1:] in ".!?…:" else "." if helps else ":" if self.body else ""
        return " ".join(filter(None, [self.title + stop, helps, self.body]))


def named(*meaning: str) -> str:
    """Return the id of the lesson that means this."""
    return f"L-{sha256(chr(0).join(meaning).encode(errors='replace')).hexdigest()[:10]}"


def make(  # noqa: PLR0917  in the order of the fields of a lesson
    lesson_id: str,
    title: str,
    body: str | None,
    source: str | None,
    code: str | None,
    path: str | None,
    intent_id: str | None,
) -> Lesson:
    """Return a lesson whose texts are fit to be shown to anybody."""
    return Lesson(
        clean(lesson_id, MAX_WORD) or named(title),
        clean(title, MAX_TITLE) or "(untitled)",
        clean(body or "", MAX_BODY),
        source if source in SOURCES else DEMAND,
        _word(code, MAX_WORD),
        _word(path, MAX_PATH),
        tuple(filter(None, [_word(intent_id, MAX_WORD)])),
    )


def from_demand(
    text: str,
    path: str | None = None,
    intent_id: str | None = None,
    *,
    resolution: str | None = None,
    pattern: str | None = None,
) -> Lesson:
    """Return what somebody said outright; case, white space and the last full stop mean nothing."""
    meaning = " ".join(text.casefold().split()).rstrip(".!")
    title, stop, body = clean(text, MAX_TITLE + MAX_BODY).partition(". ")
    if len(title) >= MAX_TITLE:
        title, stop, body = clean(text, MAX_TITLE), "", clean(text, MAX_TITLE + MAX_BODY)[MAX_TITLE - 1 :]
    lesson = make(named(DEMAND, meaning, path or ""), title + stop.strip(), body, DEMAND, None, path, intent_id)
    return _helped(lesson, resolution, pattern)


def from_event(data: Mapping[str, Any], intent_id: str | None) -> Lesson:
    """Return the lesson that a `lesson.recorded` event tells, whoever wrote it."""
    told = {field: value for field, value in data.items() if isinstance(value, str)}
    lesson = make(
        told.get("lesson_id", ""),
        told.get("title", ""),
        told.get("body"),
        told.get("source"),
        told.get("code"),
        told.get("path"),
        intent_id,
    )
    return _helped(lesson, told.get("resolution"), told.get("pattern"))


def event_data(lesson: Lesson, *, forgotten: bool | None = None) -> dict[str, Any]:
    """Return the `data` of the event that records it; the intent is in the event itself."""
    helps = {"resolution": lesson.resolution, "pattern": lesson.pattern}
    return {
        "lesson_id": lesson.id,
        "title": lesson.title,
        "body": lesson.body or None,
        "source": lesson.source,
        "code": lesson.code,
        "path": lesson.path,
        **{name: text for name, text in helps.items() if text},
    } | ({} if forgotten is None else {"forgotten": forgotten})


def to_line(lesson: Lesson) -> str:
    r"""Return the line of Markdown that tells a lesson.

    >>> to_line(Lesson("L-1", "Round late", source="denial", code="NO_INTENT", path="src/a.py", times=2))
    '- **Round late** [L-1 | denial | NO_INTENT | src/a.py | - | 2 times]'
    """
    intents = ", ".join(_field(intent).replace(",", "\\,") for intent in lesson.intent_ids) or ABSENT
    fields = [escaped(lesson.id), lesson.source, _field(lesson.code), _field(lesson.path), intents]
    times = "once" if lesson.times == 1 else f"{lesson.times} times"
    return f"- {worded(lesson)} [{' | '.join([*fields, times])}]"


def worded(lesson: Lesson) -> str:
    """Return all that a lesson says as Markdown on one line."""
    told = {"": lesson.body, "*Resolution:* ": lesson.resolution, "*Pattern:* ": lesson.pattern}
    parts = [f"{name}{escaped(text)}" for name, text in told.items() if text]
    return " ".join([f"**{escaped(lesson.title)}**", *parts])


def from_line(line: str) -> Lesson | None:
    """Read a line that `to_line` wrote, perhaps with words that a person put better; None for any other."""
    found = _LINE.fullmatch(visible(line)) if len(line) <= MAX_LINE else None
    if found is None:
        return None
    fields = [field.strip() for field in _FIELDS.findall(found[3])[:6]]
    if len(fields) < 6 or fields[1] not in SOURCES or (times := _TIMES.fullmatch(fields[5])) is None:
        return None
    lesson_id, source, code, path, intents, _ = fields
    body, *helps = _PARTS.split((found[2] or "").strip())
    said = {name: unescaped(text.strip())[:MAX_BODY] for name, text in zip(helps[::2], helps[1::2], strict=True)}
    return Lesson(
        unescaped(lesson_id)[:MAX_WORD],
        unescaped(found[1])[:MAX_TITLE],
        unescaped(body.strip())[:MAX_BODY],
        source,
        _unfield(code, MAX_WORD),
        _unfield(path, MAX_PATH),
        tuple(filter(None, (_unfield(one, MAX_WORD) for one in _INTENTS.findall(intents)[:MAX_INTENTS]))),
        int(times[1] or 1),
        said.get("Resolution", ""),
        said.get("Pattern", ""),
    )


def _helped(lesson: Lesson, resolution: str | None, pattern: str | None) -> Lesson:
    return lesson._replace(resolution=clean(resolution or "", MAX_BODY), pattern=clean(pattern or "", MAX_BODY))


def _word(value: str | None, limit: int) -> str | None:
    return clean(value, limit) or None if value else None


def _field(value: str | None) -> str:
    return ABSENT if value is None else f"\\{value}" if value == ABSENT else escaped(value)


def _unfield(value: str, limit: int) -> str | None:
    return None if value in (ABSENT, "") else unescaped(value)[:limit]
