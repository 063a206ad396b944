"""Read what an agent means to do out of a call of its tool for that: each agent has another tool, and other words.

Most hand over the whole list each time, as objects or as Markdown; some name the one item that changed, by an id that
the list had given it. An item is known by that id, else by its words.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from linetrail.ledger.knowledge.todos import COMPLETED, IN_PROGRESS, PENDING

DROPPED = "dropped"
# The arguments that hold a list; the last one may come with any tool (Cline).
LISTS = ("todos", "todoList", "todo_list", "plan", "tasks", "checklist", "task_progress")
# More is no list that anybody works through.
MAX_ITEMS, MAX_TEXT = 200, 20_000
_WORDS = ("content", "step", "title", "subject", "description", "task_description", "task", "text")
_STATUSES = {
    IN_PROGRESS: "inprogress active doing started ~ >",
    COMPLETED: "completed complete done finished x ✓ ✔ ✅",
    DROPPED: "cancelled canceled deleted removed skipped",
}
_STATUS = {word: status for status, words in _STATUSES.items() for word in words.split()}
# `- [x] text`, `2. [in_progress] text`
_BOX = re.compile(r"\s{0,20}(?:[-*+]|\d{1,4}[.)])?\s{0,4}\[([^\[\]]{1,16})\]\s+(\S.*)")
_NUMBER = re.compile(r"#(\d{1,6})\b")


class Told(NamedTuple):
    """What a call says of one item; None: nothing."""

    key: str
    content: str | None
    status: str | None


class Change(NamedTuple):
    """What a call makes of a list: all of it anew, or some items of it."""

    items: tuple[Told, ...]
    whole: bool = True


def change(tool_name: str, given: Mapping[str, Any], output: Any) -> Change | None:
    """Return what a call that succeeded makes of the list of its session; None where it is about no list.

    >>> change("update_plan", {"plan": [{"step": "Round", "status": "completed"}]}, None)
    Change(items=(Told(key='0', content='Round', status='completed'),), whole=True)
    """
    if tool_name in ("TaskCreate", "TaskUpdate"):
        told = _task(given, output)
        return told and Change((told,), whole=False)
    if given.get("command") == "complete":
        done = given.get("completed_indices")
        numbers = done[:MAX_ITEMS] if isinstance(done, list) else []
        return Change(tuple(Told(str(number), None, COMPLETED) for number in numbers), whole=False)
    for name in LISTS:
        items = tuple(_items(given.get(name), strict=name in ("plan", "tasks")))
        if items or given.get(name) == []:
            return Change(items, whole=given.get("merge") not in (True, "true"))
    return None


def applied(known: Mapping[str, Any], made: Change) -> dict[str, list[str]]:
    """Return a list as it is after a change: key -> words and status, in the order in which the keys came."""
    before = {} if made.whole else {key: one for key, one in known.items() if _is_item(one)}
    for told in made.items:
        content, status = before.get(told.key, [None, PENDING])
        content, status = told.content or content, told.status or status
        if status == DROPPED or content is None:
            before.pop(told.key, None)
        else:
            before[told.key] = [content, status]
    return dict(list(before.items())[:MAX_ITEMS])


def _task(given: Mapping[str, Any], output: Any) -> Told | None:
    """Read a task that is named alone; the id of a new one is told with the answer."""
    subject = given.get("subject")
    content = subject if isinstance(subject, str) and subject else None
    key = given.get("taskId", _made(output))
    key = str(key) if isinstance(key, str | int) else content
    return None if key is None else Told(key, content, _status(given.get("status")))


def _made(output: Any) -> Any:
    task = output.get("task") if isinstance(output, dict) else None
    found = _NUMBER.search(output[:MAX_TEXT]) if isinstance(output, str) else None
    return task.get("id") if isinstance(task, dict) else found and found[1]


def _items(listed: Any, *, strict: bool) -> Iterator[Told]:
    """Yield the items of a list; under a `strict` name a text is prose, and items go by their places."""
    if isinstance(listed, str) and not strict:
        for line in listed[:MAX_TEXT].splitlines()[:MAX_ITEMS]:
            if found := _BOX.fullmatch(line):
                yield Told(found[2], found[2], _status(found[1]) or PENDING)
    for at, item in enumerate(listed[:MAX_ITEMS] if isinstance(listed, list) else ()):
        told = item if isinstance(item, dict) else {}
        words = (told[key] for key in _WORDS if _is_text(told.get(key)))
        content = item if isinstance(item, str) else next(words, None)
        key = told.get("id", str(at) if strict else content)
        if isinstance(key, str | int):
            yield Told(str(key), content, _status(told.get("status")))


def _status(told: Any) -> str | None:
    """Return one of our words for the status that an agent tells; None where it tells none."""
    return _STATUS.get(re.sub(r"[\s_-]", "", told).lower(), PENDING) if isinstance(told, str) and told else None


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_item(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(part, str) for part in value)
