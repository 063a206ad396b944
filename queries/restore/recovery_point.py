"""Mark a state of the work tree, and find the states that were marked.

Marked are the commit, and every file that is not as the commit has it, with its content kept on this machine.
"""

import json
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.errors import GitError, IntegrityError, LinetrailError, StorageError
from linetrail.ledger.event.event import Event, batches, new_id
from linetrail.ledger.intents import selection
from linetrail.ledger.knowledge.decision import new_id as random_id
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.observe.states import Sight, States
from linetrail.ledger.redact.redactor import Redactor, private_folder
from linetrail.ledger.repository import FOLDER, Repository, git, head, stored_path
from linetrail.projections.tables.tables import Tables
from linetrail.queries.record.author import current_author, event_by
from linetrail.queries.render.text import plain
from linetrail.queries.statements import statement

MAX_FILES = 20_000
# All that is kept for one point; what comes later in the order of paths is listed by its hash alone.
MAX_KEPT_BYTES = 512 * 1024 * 1024
# Of the entries in one event, in bytes of JSON.
_ROOM = 48_000
MAX_NAME = 100
_SIMILAR = 5

Record = Mapping[str, Any]


class UnknownPointError(LinetrailError):
    """No recovery point has this name, or the abbreviated id is ambiguous."""

    hint = "linetrail recovery-point list"
    exit_status = 1


class TooManyFilesError(LinetrailError):
    """More files have changed than one point can list."""

    hint = "linetrail recovery-point NAME --path FOLDER, or let git ignore what is made by tools"
    exit_status = 1


class KeptFile(NamedTuple):
    """A file that differs from the commit; without a hash it does not exist."""

    path: str
    hash: str | None
    executable: bool | None = None
    omitted: str | None = None


class Point(NamedTuple):
    """A marked state."""

    id: str
    name: str
    revision: str | None
    paths: tuple[str, ...] | None
    entries: Sequence[KeptFile]
    reason: str | None = None


def capture(repository: Repository, name: str, paths: Sequence[str] | None) -> Point:
    """Store the contents of changed files, and return the state of the worktree or of the given paths."""
    vcs = head(repository)
    inside = within(paths)
    changed = sorted(path for path in different(repository, vcs.revision if vcs else None) if inside(path))
    if len(changed) > MAX_FILES:
        raise TooManyFilesError(f"{len(changed):,} files are not as the commit has them; a point lists {MAX_FILES:,}")
    entries = list(kept(repository, changed))
    revision = vcs.revision if vcs else None
    return Point(_new_id(), name, revision, None if paths is None else tuple(paths), entries)


def capture_of(repository: Repository, name: str, paths: Sequence[str]) -> Point:
    """Store the contents of these files, and return a state that lists each of them."""
    return Point(_new_id(), name, None, tuple(paths), list(kept(repository, paths)))


def kept(repository: Repository, paths: Iterable[str]) -> Iterator[KeptFile]:
    """Store the current contents of files, and yield an entry for each."""
    states, room = States(repository), MAX_KEPT_BYTES
    for path in paths:
        sight = states.look(path)
        if sight is None:
            yield KeptFile(path, None, None, "not a file")
            continue
        if not sight.hash:
            yield KeptFile(path, None)
            continue
        omitted = None
        if sight.content is None or sight.size > room:
            omitted = "too large"
        elif not _keep(states, path, sight):
            omitted = "erased"
        else:
            room -= sight.size
        yield KeptFile(path, sight.hash, is_executable(repository, path), omitted)


def different(repository: Repository, revision: str | None) -> set[str]:
    """Return the files that differ from a commit, including untracked ones; all files without a commit."""
    if repository.git_dir is None:
        return set(_walk(repository))
    if revision is None:
        return _listed(repository, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    plain = ("--name-only", "-z", "--no-renames", "--ignore-submodules=all", revision, "--")
    try:
        changed = _listed(repository, "diff", *plain)
    except GitError:
        # where git lost a content it cannot compare it; then what only looks changed is listed as well
        changed = _listed(repository, "diff-index", *plain)
    return changed | _listed(repository, "ls-files", "-z", "--others", "--exclude-standard")


def within(paths: Sequence[str] | None) -> Callable[[str], bool]:
    """Return a function that says whether a file is one of these paths or inside one."""
    if paths is None or "." in paths:
        return lambda _: True
    folders = tuple(f"{path.rstrip('/')}/" for path in paths)
    return lambda path: path in paths or path.startswith(folders)


def events(repository: Repository, point: Point, session_id: str | None) -> list[Event]:
    """Return the events that record a point, as many as its list needs."""
    who, now_ns, vcs = current_author(repository), time.time_ns(), head(repository)
    session = session_id or who.session_id
    about = selection.read(repository, session)
    redactor = Redactor(private_folder(repository))
    groups = list(batches(point.entries, _weight, _ROOM)) or [[]]
    told: dict[str, Any] = {
        "name": redactor.excerpt(point.name, MAX_NAME),
        "point_id": point.id,
        "revision": point.revision,
        "paths": None if point.paths is None else list(point.paths),
        "reason": point.reason,
    }
    return [
        event_by(
            who._replace(session_id=session),
            "recovery_point.marked",
            told
            | ({} if len(groups) == 1 else {"part": at, "parts": len(groups)})
            | {"entries": [entry._asdict() for entry in group]},
            event_id=new_id(now_ns),
            now_ns=now_ns,
            intent_id=about,
            vcs=vcs,
        )
        for at, group in enumerate(groups, 1)
    ]


def mark(repository: Repository, point: Point, session_id: str | None = None) -> None:
    """Record a point whose contents are stored."""
    told = events(repository, point, session_id)
    for at in range(0, len(told), 50):
        Ledger(repository).append(told[at : at + 50], fresh=True)


def points(tables: Tables) -> list[dict[str, Any]]:
    """Return every recovery point, oldest first."""
    return list(tables.ask(statement("recovery_points")).mappings())


def find_point(tables: Tables, text: str) -> Point:
    """Return the point with this id, abbreviated id or name; of several with a name, the last."""
    known = points(tables)
    named = [one for one in known if one["point_name"] == text]
    begun = [one for one in known if one["point_id"].startswith(text)] if text else []
    exact = [one for one in begun if one["point_id"] == text]
    found = exact or named[-1:] or begun
    if len(found) == 1:
        return _point(tables, found[0])
    if found:
        raise UnknownPointError(f"{plain(text)} is not unique: {_named(found)}")
    raise UnknownPointError(f"no recovery point is called {plain(text)}; there are {_named(known) or 'none'}")


def is_executable(repository: Repository, path: str) -> bool | None:
    """Return whether the owner may execute a file; None where it is no regular file."""
    try:
        mode = os.lstat(repository.absolute(path)).st_mode
    except OSError:
        return None
    return bool(mode & stat.S_IXUSR) if stat.S_ISREG(mode) else None


def _keep(states: States, path: str, sight: Sight) -> bool:
    try:
        return sight.content is not None and states.objects.keep_for_good(sight.hash, sight.content)
    except OSError as error:
        raise StorageError(f"cannot keep the content of {path}: {error.strerror}; nothing was marked") from None


def _new_id() -> str:
    return f"R-{random_id().removeprefix('D-')}"


def _weight(entry: KeptFile) -> int:
    return 160 + len(entry.path.encode(errors="replace"))


def _listed(repository: Repository, *arguments: str) -> set[str]:
    listed = git(repository, *arguments)
    if listed is None:
        raise GitError(f"git cannot say what is different in {repository.root}: git {arguments[0]} fails")
    names = (stored_path(os.fsdecode(name)) for name in listed.split(b"\0") if name)
    return {name for name in names if not name.startswith(f"{FOLDER}/") and not name.endswith("/")}


def _walk(repository: Repository) -> Iterator[str]:
    for folder, names, files in os.walk(repository.root):
        names[:] = [name for name in names if name not in (FOLDER, ".git")]
        for name in files:
            yield stored_path(os.path.relpath(os.path.join(folder, name), repository.root).replace(os.sep, "/"))


def _point(tables: Tables, record: Record) -> Point:
    if not record["complete"]:
        error = "a part of this recovery point is missing from the ledger"
        raise IntegrityError("recovery point", record["position"], "LINES_MISSING", f"{record['point_id']}: {error}")
    paths = record["paths"]
    return Point(
        record["point_id"],
        record["point_name"],
        record["vcs_revision"],
        None if paths in (None, "null") else tuple(json.loads(paths)),
        [
            KeptFile(*row)
            for row in tables.ask(statement("recovery_point_files"), {"point_id": record["point_id"]}).rows
        ],
        record["reason"],
    )


def _named(records: Sequence[Record]) -> str:
    shown = [f"{one['point_id']} ({plain(one['point_name'])})" for one in records[: -_SIMILAR - 1 : -1]]
    more = f" and {len(records) - _SIMILAR} more" if len(records) > _SIMILAR else ""
    return ", ".join(shown) + more
