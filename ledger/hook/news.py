"""Tell running sessions what was recorded meanwhile: lessons, decisions, answers of people.

Whoever records something adds a line to a file of each session that hooks have heard of, in all worktrees. The next
hook whose agent listens takes the lines out, so that each is told once. The files are disposable: all of it is in the
ledger.
"""

import contextlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.adapters.adapter import adapter
from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.event.drafts import Draft
from linetrail.ledger.event.signal import Answer, Signal
from linetrail.ledger.files import PRIVATE_FILE, locked
from linetrail.ledger.gate.approvals import Approval
from linetrail.ledger.hook.checkout import BYTES_PER_TOKEN, escaped, owns
from linetrail.ledger.hook.deliveries import FORGET_NS, NEWS, TURNS, inbox
from linetrail.ledger.hook.situation import Effect, Situation
from linetrail.ledger.intents import selection
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.knowledge.lesson import Lesson, from_line, to_line
from linetrail.ledger.knowledge.lessons import Known, fitting
from linetrail.ledger.repository import Repository
from linetrail.ledger.worktrees import worktrees

LESSON, DECISION, APPROVAL = "lesson", "decision", "approval"
LOCK_SECONDS = 0.2
# What may wait for one session; what comes then is in the ledger alone.
MAX_BYTES = 64 * 1024
HEAD = "Recorded in this repository while this session ran:"
REST = "- {} more: `linetrail log`"


class News(NamedTuple):
    """Something that was recorded. The `text` of a lesson is its line; the `session_id` asked for an approval."""

    kind: str
    id: str
    text: str
    session_id: str | None = None


def of_lesson(lesson: Lesson) -> News:
    return News(LESSON, lesson.id, to_line(lesson))


def of_decision(data: Mapping[str, Any]) -> News:
    why = f": {data['rationale']}" if data["rationale"] else ""
    return News(DECISION, data["decision_id"], f"{data['status']}: {data['title']}{why}")


def of_answer(answered: Approval, *, revoked: bool = False) -> News:
    """Return the news that a person answered a request, or took the answer back."""
    words = f" ({answered.words})" if answered.words and not revoked else ""
    state = "revoked" if revoked else answered.state
    return News(APPROVAL, answered.id, f"{state}{words}: {answered.action}", answered.session_id)


def spread(repository: Repository, news: Iterable[News], *, by: str | None) -> None:
    """Let the sessions know that hooks heard of within a day, but for the one that recorded it."""
    lines = b"".join(json.dumps(one).encode() + b"\n" for one in news)
    since = time.time_ns() - FORGET_NS
    for worktree in worktrees(repository):
        own = inbox(worktree, by) if by else None
        with contextlib.suppress(OSError):
            for entry in os.scandir(os.path.join(worktree.folder, "state", TURNS)):
                path = entry.path + NEWS
                if "." not in entry.name and path != own and entry.stat().st_mtime_ns > since and _goes_on(entry.path):
                    _add(path, lines)


def told(situation: Situation, signal: Signal, agent: str, answers: Sequence[Answer]) -> Iterator[Effect]:
    """Tell a session what is new, where its agent listens."""
    repository, session = situation.repository, signal.session_id or ""
    if not _listens(agent, signal.name):
        return
    said = "\n".join(answer.context for answer in answers if answer.context)
    intent = situation.policy.intent(selection.read(repository, session))
    texts = {one: _text(one, intent) for one in _taken(inbox(repository, session))}
    # A session that begins, or selects an intent, is told lessons by the same hook.
    new = {one: text for one, text in texts.items() if text and text not in said}
    room = situation.policy.settings.context_tokens * BYTES_PER_TOKEN - len(said.encode())
    lines = _lines(new, session, room)
    if lines:
        yield Answer(context="\n".join([HEAD, *lines]))
        shown = [one.id for one in list(new)[: len(lines)] if one.kind == LESSON]
        if shown:
            yield Draft("lessons.shown", "unknown", {"intent_id": intent and intent.id, "lesson_ids": shown})


def _listens(agent: str, event: str) -> bool:
    """Return whether the agent gives its model what a hook says at this event."""
    module = adapter(agent)
    return module is not None and module.reply(event, Answer(context="-")) != module.reply(event, Answer())


def _text(news: News, intent: Intent | None) -> str | None:
    """Return the words of a piece of news; None for a lesson that is not about the work on this intent."""
    if news.kind != LESSON:
        return escaped(news.text)
    lesson = from_line(news.text)
    known = Known((lesson,) if lesson else ())
    found = fitting(known, intent_id=intent and intent.id, scope_owner=owns(intent) if intent else None)
    return escaped(found[0].brief) if found else None


def _lines(texts: dict[News, str], session: str, room: int) -> list[str]:
    """Return a line for each piece of news, the last one a count where there is no room for all."""
    lines: list[str] = []
    room -= len(HEAD) + len(REST) + 8
    for one, text in texts.items():
        asked = ", asked for by this session," if one.session_id == session else ""
        line = f"- {one.kind} {escaped(one.id)}{asked} {text}"
        room -= len(line.encode()) + 1
        if room < 0:
            return [*lines, REST.format(len(texts) - len(lines))]
        lines.append(line)
    return lines


def _goes_on(path: str) -> bool:
    """Return whether the session of these turns has not ended."""
    try:
        with open(path, "rb") as file:
            return not json.load(file).get("over")
    except (OSError, ValueError, AttributeError):
        return False


def _add(path: str, lines: bytes) -> None:
    with (
        contextlib.suppress(OSError, LinetrailError),
        open(path, "ab", buffering=0, opener=_own) as file,
        locked(file.fileno(), LOCK_SECONDS, path),
    ):
        if file.tell() + len(lines) <= MAX_BYTES:
            file.write(lines)


def _taken(path: str) -> list[News]:
    """Empty a file of news, and return what was in it; a line that is none of ours is passed over."""
    found = []
    with contextlib.suppress(OSError, LinetrailError), open(path, "rb+", buffering=0, opener=_own) as file:
        with locked(file.fileno(), LOCK_SECONDS, path):
            content = file.read(MAX_BYTES)
            file.truncate(0)
        for line in content.splitlines():
            with contextlib.suppress(ValueError, TypeError, RecursionError):
                found.append(News(*json.loads(line)))
    return [one for one in found if all(isinstance(part, str) for part in one[:3])]


def _own(path: str, flags: int) -> int:
    """Open a file of ours, and none that a link leads to."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), PRIVATE_FILE)
