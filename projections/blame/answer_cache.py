"""Remember answers of `blame` in the cache, by what they follow from; forgetting one costs time and nothing else.

The first line of a file says how far ledger and history went when the answer was made; `Validity` tells whether it
still holds: nobody wrote a line after the commit that has it (`causality`), so what is recorded later says nothing of
the lines of a file that is committed as it is, unless it speaks of this file. The second line is the answer, the third
one the claims behind each line, which only `why` reads.
"""

import contextlib
import json
import os
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import publish, sha256
from linetrail.ledger.repository import Repository, file_path, git, stored_path
from linetrail.projections.git.history import Blamed, Commit, GitLine
from linetrail.projections.git.target import Target
from linetrail.projections.lines.attribution import RULES, Attribution
from linetrail.projections.lines.transitions import Claim
from linetrail.projections.statements import statement

if TYPE_CHECKING:
    from linetrail.projections.tables.tables import Tables

# 1: first layout of a remembered answer.
# 2: with the other files of the work tree that were looked at.
# 3: with what changes were judged to be.
# 4: with when commits were made, besides when they were written, and how far ledger and history went.
# 5: with of how many lines git disproved a recorded owner.
# 6: with what a person overruled.
LAYOUT = 6
MAX_ANSWERS = 5_000


class Made(NamedTuple):
    """How far the ledger and the history went that an answer was made from.

    `position` and `event` are the last event of a ledger with this digest. `names` are those of the file; `latest` is
    when the youngest commit was made that has a line of it, None where some line is not committed.
    """

    ledger: str
    position: int
    event: str | None
    head: str | None
    names: Sequence[str]
    latest: str | None


class Remembered(NamedTuple):
    """An answer as it is kept."""

    made: Made
    attributions: Sequence[Attribution]
    git: Blamed
    disproved: int


def name(repository: Repository, target: Target, asked: Sequence[object]) -> str:
    """Name an answer by the content, what was `asked` of it, and what git looks at besides history."""
    content = sha256(target.content).hexdigest()
    # what else `git blame` looks at: a staged rename, where a shallow clone ends, other names of people
    index = None if target.revision else _stamp(repository.git_dir, "index")
    around = [index, _stamp(repository.common_dir, "shallow"), _stamp(repository.root, ".mailmap")]
    parts = [LAYOUT, RULES, asked, target.path, content, target.revision is None, around]
    return sha256(json.dumps(parts).encode()).hexdigest()


def has(repository: Repository, key: str) -> bool:
    """Return whether something is remembered under this name, though it may not hold any more."""
    return os.path.exists(_file(repository, key))


def load(repository: Repository, key: str) -> Remembered | None:
    """Return a remembered answer; None when there is none, or it cannot be read, or a file beside has changed."""
    try:
        with open(_file(repository, key), "rb") as file:
            made = Made(*json.loads(file.readline()))
            record: dict[str, Any] = json.loads(file.readline())
        if any(_stamp(repository.root, file_path(path)) != stamp for path, stamp in record["beside"].items()):
            return None
        attributions = [Attribution(*fields) for fields in record["attributions"]]
        places = [(revision, path, previous and tuple(previous)) for revision, path, previous in record["places"]]
        commits = {
            revision: Commit(author, written, made, tuple(headers), cut)
            for revision, author, written, made, headers, cut in record["commits"]
        }
        lines = []
        for _, place, line in record["lines"]:
            revision, path, previous = places[place]
            lines.append(GitLine(revision, line, path, previous))
        told = [attributions[at] for at, _, _ in record["lines"]]
        return Remembered(made, told, Blamed(lines, commits), record["disproved"])
    except (OSError, ValueError, TypeError, KeyError, IndexError):
        return None


def histories(repository: Repository, key: str) -> list[tuple[Claim, ...]] | None:
    """Return the claims on each line of a remembered answer, newest first; None where they cannot be read."""
    try:
        with open(_file(repository, key), "rb") as file:
            *_, told = file
        record: dict[str, Any] = json.loads(told)
        claims = [Claim(*fields) for fields in record["claims"]]
        known = [tuple(claims[at] for at in places) for places in record["histories"]]
        return [known[at] for at in record["lines"]]
    except (OSError, ValueError, TypeError, KeyError, IndexError):
        return None


def save(
    repository: Repository,
    key: str,
    made: Made,
    attributions: Sequence[Attribution],
    git: Blamed,
    *,
    disproved: int,
    behind: Iterable[Sequence[Claim]],
    beside: Iterable[str],
) -> None:
    """Remember an answer where the cache can be written, and what these other files of the work tree were then.

    `behind` are the claims on each line.
    """
    # lines with the same answer share one object, so that it is not compared field by field for each of them
    authors: dict[int, int] = {}
    places: dict[Any, int] = {}
    lines = [
        [
            authors.setdefault(id(attribution), len(authors)),
            places.setdefault((line.revision, line.filename, line.previous), len(places)),
            line.original_line,
        ]
        for attribution, line in zip(attributions, git.lines, strict=True)
    ]
    commits = [[revision, *commit] for revision, commit in git.commits.items()]
    stamps = {path: _stamp(repository.root, file_path(path)) for path in beside}
    record = {
        "beside": stamps,
        "attributions": list({id(attribution): attribution for attribution in attributions}.values()),
        "places": list(places),
        "commits": commits,
        "lines": lines,
        "disproved": disproved,
    }
    with contextlib.suppress(OSError, StorageError):
        publish(_file(repository, key), _line(made) + _line(record) + _line(_behind(behind)), durable=False)


def _behind(behind: Iterable[Sequence[Claim]]) -> dict[str, Any]:
    """Spell the claims on lines, each claim and each history once."""
    claims: dict[int, tuple[int, Claim]] = {}
    known: dict[tuple[int, ...], int] = {}
    lines = []
    for history in behind:
        places = tuple(claims.setdefault(id(claim), (len(claims), claim))[0] for claim in history)
        lines.append(known.setdefault(places, len(known)))
    return {"claims": [claim for _, claim in claims.values()], "histories": list(known), "lines": lines}


def renew(repository: Repository, key: str, made: Made) -> None:
    """Say of a remembered answer that it held when ledger and history went this far."""
    with contextlib.suppress(OSError, StorageError):
        with open(_file(repository, key), "rb") as file:
            file.readline()
            rest = file.read()
        publish(_file(repository, key), _line(made) + rest, durable=False)


def _line(record: object) -> bytes:
    return json.dumps(record).encode() + b"\n"


def forget_oldest(repository: Repository) -> None:
    """Keep the folder small: nothing tells which of its answers anybody will ask for again."""
    from linetrail.projections.remembered import keep_newest  # an answer that is remembered needs none of it

    keep_newest(Path(_folder(repository)), files=MAX_ANSWERS)


def _folder(repository: Repository) -> str:
    return os.path.join(repository.folder, "cache", "blame")


def _file(repository: Repository, key: str) -> str:
    return os.path.join(_folder(repository), f"{key}.json")


def _stamp(folder: str | None, name: str) -> list[int] | None:
    """Return what differs between two versions of a file, without reading it."""
    try:
        status = os.stat(os.path.join(folder or "", name))
    except OSError:
        return None
    return [status.st_size, status.st_mtime_ns, status.st_ino]


# After so many more events an answer is made anew.
MAX_EVENTS = 5_000
# Events that say nothing of who wrote a line.
_SILENT = (
    "commit.observed",
    "decision.recorded",
    "intent.changed",
    "intent.cleared",
    "intent.completed",
    "intent.created",
    "intent.selected",
    "lease.broken",
    "ledger.repaired",
    "ledger.sealed",
    "lesson.recorded",
    "prompt.submitted",
    "recovery_point.marked",
    "session.ended",
    "session.started",
    "thought.recorded",
    "tool.completed",
    "tool.failed",
    "tool.requested",
    "usage.recorded",
    "work.moved",
)
_LAST = "select position, event_id from events where position > $after order by position desc limit 1"
_AT = "select event_id from events where position = $position"


class _Change(NamedTuple):
    """What one later event says of a file; `since` as in `Claim.since`."""

    event_type: str
    path: str | None
    from_path: str | None
    vcs_revision: str | None
    since: str


class Validity:
    """What one state of a ledger and of git leaves of the answers that were made before."""

    def __init__(self, repository: Repository, ledger: str, tables: "Callable[[], Tables]") -> None:
        self._repository, self._ledger, self._tables = repository, ledger, tables
        self._changes = lru_cache(None)(self._changed_since)
        self._touched = lru_cache(None)(self._touched_since)

    @cached_property
    def _last(self) -> tuple[int, str | None]:
        tables = self._tables()
        parts = [tables.parts[-1].first, 0]
        rows = next((rows for after in parts if (rows := tables.ask(_LAST, {"after": after}).rows)), ())
        return (rows[0][0], rows[0][1]) if rows else (0, None)

    def made(self, head: str | None, names: Collection[str], latest: str | None) -> Made:
        """Describe an answer that is made now."""
        return Made(self._ledger, *self._last, head, sorted(names), latest)

    def is_new(self, made: Made, head: str | None) -> bool:
        """Return whether nothing was recorded or committed since an answer was made."""
        return made.ledger == self._ledger and made.head == head

    def holds(self, made: Made, head: str | None) -> bool:
        """Return whether nothing that was recorded or committed since speaks of the lines of an answer."""
        if made.head != head and (made.head is None or head is None or self._is_touched(made, head)):
            return False
        if made.ledger == self._ledger:
            return True
        changes = self._changes(made.position, made.event)
        return changes is not None and not any(_speaks(change, made, head) for change in changes)

    def _is_touched(self, made: Made, head: str) -> bool:
        touched = self._touched(made.head, head)
        return touched is None or not touched.isdisjoint(made.names)

    def _changed_since(self, position: int, event: str | None) -> list[_Change] | None:
        """Return what later events say; None where the events up to this one are not those that they were."""
        tables = self._tables()
        if event is None or tables.ask(_AT, {"position": position}).rows != [(event,)]:
            return None
        asked = {"position": position, "silent": list(_SILENT), "limit": MAX_EVENTS}
        rows = [_Change(*row) for row in tables.ask(statement("said_since"), asked).rows]
        return rows if len(rows) < MAX_EVENTS else None

    def _touched_since(self, old: str, new: str) -> frozenset[str] | None:
        """Return the files that commits changed from one to another; None where the other did not come after it."""
        if git(self._repository, "merge-base", "--is-ancestor", old, new) is None:
            return None
        told = git(self._repository, "log", "-m", "--no-renames", "--format=", "--name-only", "-z", f"{old}..{new}")
        if told is None:
            return None
        return frozenset(stored_path(name.decode(errors="surrogateescape")) for name in told.split(b"\0") if name)


def _speaks(change: _Change, made: Made, head: str | None) -> bool:
    """Return whether an event may say something of the lines of an answer."""
    if change.event_type == "gate.decided":
        return made.latest is None  # what was refused may have run, and is in no commit of before
    if change.path is None or made.latest is None or not {change.path, change.from_path}.isdisjoint(made.names):
        return True
    if change.since:
        return change.since <= made.latest
    return change.vcs_revision not in {made.head, head} or change.vcs_revision is None
