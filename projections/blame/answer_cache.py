"""Remember answers of `blame` in the cache, by what they follow from; forgetting one costs time and nothing else.

The first line of a file says how far ledger and history went when the answer was made; `validity` tells whether it
still holds. The second line is the answer, the third one the claims behind each line, which only `why` reads.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import publish
from linetrail.ledger.repository import Repository, file_path
from linetrail.projections.git.history import Blamed, Commit, GitLine
from linetrail.projections.git.target import Target
from linetrail.projections.lines.attribution import RULES, Attribution
from linetrail.projections.lines.transitions import Claim

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
    content = hashlib.sha256(target.content).hexdigest()
    # what else `git blame` looks at: a staged rename, where a shallow clone ends, other names of people
    index = None if target.revision else _stamp(repository.git_dir, "index")
    around = [index, _stamp(repository.common_dir, "shallow"), _stamp(repository.root, ".mailmap")]
    parts = [LAYOUT, RULES, asked, target.path, content, target.revision is None, around]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


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
