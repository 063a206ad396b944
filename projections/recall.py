"""Remember answers of `blame` in the cache, by what they follow from; forgetting one costs time and nothing else."""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from typing import Any

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import publish
from linetrail.ledger.repository import Repository, file_path
from linetrail.projections.history import Blamed, Commit, GitLine
from linetrail.projections.lines import RULES, Attribution
from linetrail.projections.target import Target

# 1: first layout of a remembered answer.
# 2: with the other files of the work tree that were looked at.
# 3: with what changes were judged to be.
# 4: with when commits were made, besides when they were written.
LAYOUT = 4
MAX_ANSWERS = 5_000


def name(repository: Repository, target: Target, ledger: Sequence[object]) -> str:
    """Name an answer by all that it follows from."""
    content = hashlib.sha256(target.content).hexdigest()
    # what else `git blame` looks at: a staged rename, where a shallow clone ends, other names of people
    index = None if target.revision else _stamp(repository.git_dir, "index")
    around = [index, _stamp(repository.common_dir, "shallow"), _stamp(repository.root, ".mailmap")]
    parts = [LAYOUT, RULES, ledger, target.path, content, target.revision, target.head, around]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def load(repository: Repository, key: str) -> tuple[Sequence[Attribution], Blamed] | None:
    """Return a remembered answer; None when there is none, or it cannot be read, or a file beside has changed."""
    try:
        with open(_file(repository, key), "rb") as file:
            record: dict[str, Any] = json.load(file)
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
        return [attributions[at] for at, _, _ in record["lines"]], Blamed(lines, commits)
    except (OSError, ValueError, TypeError, KeyError, IndexError):
        return None


def save(
    repository: Repository, key: str, attributions: Sequence[Attribution], git: Blamed, beside: Iterable[str] = ()
) -> None:
    """Remember an answer where the cache can be written, and what these other files of the work tree were then."""
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
    }
    with contextlib.suppress(OSError, StorageError):
        publish(_file(repository, key), json.dumps(record).encode(), durable=False)


def forget_oldest(repository: Repository) -> None:
    """Keep the folder small: nothing tells which of its answers anybody will ask for again."""
    try:
        with os.scandir(_folder(repository)) as entries:
            files = [(entry.stat().st_mtime_ns, entry.path) for entry in entries]
    except OSError:
        return
    for _, path in sorted(files)[:-MAX_ANSWERS]:
        with contextlib.suppress(OSError):
            os.unlink(path)


def _folder(repository: Repository) -> str:
    return os.path.join(repository.folder, "cache", "blame")


def _file(repository: Repository, key: str) -> str:
    return os.path.join(_folder(repository), f"{key}.json")


def _stamp(folder: str | None, name: str) -> list[int] | None:
    """Tell one version of a file from another without reading it."""
    try:
        status = os.stat(os.path.join(folder or "", name))
    except OSError:
        return None
    return [status.st_size, status.st_mtime_ns, status.st_ino]
