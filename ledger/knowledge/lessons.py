"""What was learned here: the list of lessons in AGENT.md, read by every session and every agent.

The list is our part of ``.orchestration/AGENT.md``, between markers; what stands outside of them belongs to people.
The events `lesson.recorded` are the truth: `recalled` makes the list anew from them by the same steps by which it grew.

A lesson that a person strikes out in the file is gone until it is taught again, or the list is made anew. One that a
person has forgotten (`linetrail lesson forget`) stays away, also in clones, until a person says it.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.knowledge import marked_part
from linetrail.ledger.knowledge.lesson import DEMAND, DENIAL, MAX_INTENTS, Lesson, from_line, make, named, to_line
from linetrail.ledger.repository import Repository

FILE, PART = "AGENT.md", "lessons"
MAX_LESSONS, MAX_BYTES, MAX_FORGOTTEN = 50, 8192, 200
# Of so many files in one folder, a refusal is about the folder.
FILES_OF_A_FOLDER = 3
FOLDER_GLOB = "/**"
# Refusals of what was asked for, and not of a file that would be changed.
OF_CALLS = frozenset({"DANGEROUS_COMMAND", "UNKNOWN_TOOL", "REJECTED"})
HEAD = """\
# Lessons

What went wrong here before, latest first: facts, not orders. linetrail keeps this list; write your own notes outside
of the markers. `linetrail lesson forget ID` takes one away for good.

"""
_FORGOTTEN = re.compile(r"<!-- forgotten: ([\w -]*) -->\s*")
_PLAIN_ID = re.compile(r"[\w-]+")


class Known(NamedTuple):
    """What is known: lessons, the latest first, and the ids of those nobody wants to see, the latest last."""

    lessons: tuple[Lesson, ...] = ()
    forgotten: tuple[str, ...] = ()


def path(repository: Repository) -> str:
    return os.path.join(repository.folder, FILE)


def read(repository: Repository) -> Known:
    """Return what the file says; a line in our part that is no lesson is passed over."""
    return parse(marked_part.read(path(repository)))


def learn(repository: Repository, lesson: Lesson) -> tuple[Lesson, bool]:
    """Add a lesson to the list, or count it; return what is to be recorded, and whether it was not known before.

    What is returned may be about the folder of the file, where several files of it taught the same. The file may be
    one that cannot be changed: then this raises a LinetrailError, and the lesson as it was given is to be recorded.
    """
    outcome = lesson, False

    def change(content: bytes | None) -> bytes | None:
        nonlocal outcome
        before = parse(content)
        after, learned, new = taught(before, lesson)
        outcome = learned, new
        return content if after == before else marked_part.with_part(content, PART, render(after))

    marked_part.edit(repository, path(repository), change)
    return outcome


def keep(repository: Repository, known: Known) -> bool:
    """Put a list in the place of the one there is, and return whether that changed the file."""
    return _change(repository, lambda _: known)


def forget(repository: Repository, lesson_id: str) -> bool:
    """Take a lesson out of the list for good, and return whether that changed the file."""
    return _change(repository, lambda known: forgetting(known, lesson_id))


def applicable(
    repository: Repository, *, intent_id: str | None, scope_owner: Callable[[str], bool] | None, limit: int
) -> list[Lesson]:
    """Return the lessons for whoever works on an intent, the most useful first; none where the file cannot be read."""
    try:
        known = read(repository)
    except (LinetrailError, OSError, ValueError):
        return []
    return fitting(known, intent_id=intent_id, scope_owner=scope_owner)[:limit]


def fitting(known: Known, *, intent_id: str | None, scope_owner: Callable[[str], bool] | None) -> list[Lesson]:
    """Return the lessons that apply to the work on an intent, the most useful first.

    Those of the same intent come first, then those about a path that its scope owns, then what holds for everybody:
    what a person said of nothing in particular, and what a program taught. Among these, what people said comes first.
    """
    ranked = [
        (rank, lesson.source != DEMAND, -lesson.times, age, lesson)
        for age, lesson in enumerate(known.lessons)
        if (rank := _rank(lesson, intent_id, scope_owner)) is not None
    ]
    return [lesson for *_, lesson in sorted(ranked, key=lambda entry: entry[:4])]


def from_denial(code: str, path: str | None, intent_id: str | None, reason: str | None) -> Lesson:
    """Return what a refusal teaches."""
    first = next((line for line in (reason or "").splitlines() if line.strip()), "")
    return make(*_denial_words(code, path), first, DENIAL, code, path, intent_id)


def taught(known: Known, lesson: Lesson) -> tuple[Known, Lesson, bool]:
    """Add a lesson to what is known; return that, the lesson as it now stands there, and whether it is new.

    The one step by which the list grows, in a hook as well as when it is made anew.
    """
    lesson = _generalised(known, lesson)
    if lesson.id in known.forgotten and lesson.source != DEMAND:
        return known, lesson, False
    same = [other for other in known.lessons if other.id == lesson.id or _covers(lesson, other)]
    intents = dict.fromkeys(intent for other in (*same, lesson) for intent in other.intent_ids)
    merged = lesson._replace(
        times=lesson.times + sum(other.times for other in same),
        intent_ids=tuple(intents)[-MAX_INTENTS:],
        resolution=lesson.resolution or next((other.resolution for other in same if other.resolution), ""),
        pattern=lesson.pattern or next((other.pattern for other in same if other.pattern), ""),
    )
    others = [other for other in known.lessons if other not in same]
    forgotten = tuple(other for other in known.forgotten if other != lesson.id)
    return Known(_capped([merged, *others]), forgotten), merged, lesson.id not in {other.id for other in same}


def forgetting(known: Known, lesson_id: str) -> Known:
    """Take a lesson away for good."""
    others = tuple(lesson for lesson in known.lessons if lesson.id != lesson_id)
    forgotten = (*(other for other in known.forgotten if other != lesson_id), lesson_id)
    return Known(others, forgotten[-MAX_FORGOTTEN:])


def recalled(records: Iterable[tuple[Lesson, bool]]) -> Known:
    """Return what is known after these records, in the order of the ledger; with each, whether it says to forget."""
    known = Known()
    for lesson, forgotten in records:
        known = forgetting(known, lesson.id) if forgotten else taught(known, lesson)[0]
    return known


def parse(content: bytes | None) -> Known:
    """Read our part of the file."""
    inner = None if content is None else marked_part.take(content, PART)
    if inner is None:
        return Known()
    lines = inner.split("\n")
    found: dict[str, Lesson] = {}
    for lesson in filter(None, map(from_line, lines)):
        # Git puts both sides' lines here where a merge is by union: the same lesson, counted differently.
        other = found.setdefault(lesson.id, lesson)
        intents = tuple(dict.fromkeys((*other.intent_ids, *lesson.intent_ids)))[-MAX_INTENTS:]
        found[lesson.id] = other._replace(times=max(other.times, lesson.times), intent_ids=intents)
    forgotten = [one for line in lines if (ids := _FORGOTTEN.fullmatch(line)) for one in ids[1].split()]
    return Known(tuple(found.values()), tuple(dict.fromkeys(forgotten)))


def render(known: Known) -> str:
    ids = [one for one in known.forgotten if _PLAIN_ID.fullmatch(one)]
    lines = [*map(to_line, known.lessons), *([f"<!-- forgotten: {' '.join(ids)} -->"] if ids else [])]
    return HEAD + "".join(f"{line}\n" for line in lines)


def _change(repository: Repository, change: Callable[[Known], Known]) -> bool:
    def changed(content: bytes | None) -> bytes | None:
        known = change(parse(content))
        if not any(known) and (content is None or marked_part.take(content, PART) is None):
            return content
        return marked_part.with_part(content, PART, render(known))

    return marked_part.edit(repository, path(repository), changed, durable=True)


def _rank(lesson: Lesson, intent_id: str | None, scope_owner: Callable[[str], bool] | None) -> int | None:
    if intent_id is not None and intent_id in lesson.intent_ids:
        return 0
    if lesson.path is not None and lesson.source in (DENIAL, DEMAND):
        return 1 if scope_owner and any(map(scope_owner, _places(lesson.path))) else None
    return None if lesson.source in (DENIAL, DEMAND) and lesson.intent_ids else 2


def _places(path: str) -> Iterator[str]:
    """Yield what a scope must own for a lesson about a path to be its own: of a folder, it or what lies in it."""
    folder = path.removesuffix(FOLDER_GLOB)
    yield folder
    if folder != path:
        yield f"{folder}/any"


def _denial_words(code: str, path: str | None) -> tuple[str, str]:
    """Return the id and the title of a refusal."""
    what = "a change" if code not in OF_CALLS else "a call"
    return named(DENIAL, code, path or ""), f"{path}: {what} was refused" if path else f"Refused: {code}"


def _generalised(known: Known, lesson: Lesson) -> Lesson:
    """Return the lesson about the folder, where that is known already, or where two other files of it taught the same.

    The root is no folder in this sense: nearly everything would be in it.
    """
    if lesson.source != DENIAL or lesson.code is None or lesson.path is None or _is_no_file(lesson.path):
        return lesson
    ids = {other.id for other in known.lessons}.union(known.forgotten)
    if lesson.id in ids:
        return lesson
    own = lesson.path.rpartition("/")[0]
    for folder in _folders(lesson.path):
        lesson_id, title = _denial_words(lesson.code, folder + FOLDER_GLOB)
        if lesson_id in ids or (folder == own and len(_siblings(known, lesson, own)) >= FILES_OF_A_FOLDER - 1):
            return lesson._replace(id=lesson_id, title=title, path=folder + FOLDER_GLOB)
    return lesson


def _is_no_file(path: str) -> bool:
    """Return whether this is a glob, a file elsewhere, or a name in quotes, of which no folder is made."""
    return path.endswith(("*", "/")) or path.startswith(('"', "outside:", "/", "-"))


def _folders(path: str) -> Iterator[str]:
    folder = path
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        if folder:
            yield folder


def _siblings(known: Known, lesson: Lesson, folder: str) -> list[Lesson]:
    return [
        other
        for other in known.lessons
        if other.source == DENIAL
        and other.code == lesson.code
        and other.path is not None
        and other.path.rpartition("/")[0] == folder
        and other.path != lesson.path
        and not _is_no_file(other.path)
    ]


def _covers(lesson: Lesson, other: Lesson) -> bool:
    """Return whether a lesson about a folder says what another says of something in it."""
    if lesson.source != DENIAL or not (lesson.path or "").endswith(FOLDER_GLOB) or other.source != DENIAL:
        return False
    folder = (lesson.path or "").removesuffix("**")
    return other.code == lesson.code and (other.path or "").startswith(folder)


def _capped(lessons: list[Lesson]) -> tuple[Lesson, ...]:
    """Drop the least useful until the rest fits: what was taught least often, of those the oldest; never the latest."""
    size = len(HEAD) + sum(len(to_line(lesson).encode()) + 1 for lesson in lessons)
    while len(lessons) > 1 and (len(lessons) > MAX_LESSONS or size > MAX_BYTES):
        fewest = min(lesson.times for lesson in lessons[1:])
        at = max(at for at, lesson in enumerate(lessons) if at and lesson.times == fewest)
        size -= len(to_line(lessons.pop(at)).encode()) + 1
    return tuple(lessons)
