"""Tell what a file held before and after a change, from what a history says and from what git kept.

Most histories tell what came and not what was there. The text before is then the one that the file was last left
with, else the one it had in the commit that the session began on, else in the last commits before that moment; each
counts only if the whole change can be done on it, and how the text is known is told with the event.
"""

from collections.abc import Iterator
from typing import NamedTuple

from linetrail.ledger.content import is_binary
from linetrail.ledger.hunks import applied
from linetrail.ledger.repository import Repository, file_path
from linetrail.ledger.vcs import git, object_id
from linetrail.projections.history import Objects
from linetrail.queries.importers.histories.steps import Change
from linetrail.queries.importers.recent import Recent

# How the text before is known where the history does not tell it.
REPLAYED, COMMIT, HISTORY = "replayed", "commit", "history"
# Of the commits before a change, so many are looked at.
_COMMITS = 20
_MAX_BYTES = 4 * 1024 * 1024
_HELD_PATHS_BYTES = 4 * 1024 * 1024


class Outcome(NamedTuple):
    """A file's text before and after, None is no file; `past` is False where the text before is not known."""

    before: str | None
    after: str | None
    past: bool = True
    basis: str | None = None


class Past:
    """What git kept of the files of a repository."""

    def __init__(self, repository: Repository, objects: Objects) -> None:
        self._repository = repository
        self._objects = objects
        # path -> the commits that changed it, the newest first, each with its time in seconds
        self._commits: Recent[list[tuple[int, str]]] = Recent(_HELD_PATHS_BYTES)

    def texts(self, path: str, revision: str | None, time: int) -> Iterator[tuple[str, str | None]]:
        """Yield how each text that a file may have had is known, and the text; None where there was no file."""
        known = object_id(revision) and self._objects.read(str(revision)) is not None
        if known:
            content = self._objects.read(f"{revision}:{file_path(path)}")
            if content is None or _is_text(content):
                yield COMMIT, None if content is None else content.decode()
        older = [made for at, made in self._changes(path) if at * 1_000_000_000 <= time]
        for one in older[:_COMMITS]:
            content = self._objects.read(f"{one}:{file_path(path)}")
            if content is None or _is_text(content):
                yield HISTORY, None if content is None else content.decode()
        if not older and not known and self._repository.git_dir is not None:
            yield HISTORY, None

    def _changes(self, path: str) -> list[tuple[int, str]]:
        found = self._commits.get(path)
        if found is None:
            log = git(self._repository, "log", "--max-count=1000", "--format=%ct %H", "HEAD", "--", file_path(path))
            lines = (line.split() for line in (log or b"").decode().splitlines())
            found = [(int(seconds), made) for seconds, made in lines]
            self._commits.put(path, found, 200 * len(found) + 200)
        return found


def resolved(change: Change, last: str | None, texts: Iterator[tuple[str, str | None]]) -> Outcome | None:
    """Return what a change did, `last` being the file's text when last seen; None where that cannot be told."""
    if change.before is not None and (change.gone or change.after is not None):
        return Outcome(change.before, change.after)
    if change.new and change.after is not None:
        return Outcome(None, change.after)
    known = [(REPLAYED, last)] if last is not None else []
    if change.before is not None:
        known = [("told", change.before)]
    for basis, before in (*known, *texts):
        outcome = _done(change, before)
        if outcome is not None:
            return outcome._replace(basis=None if basis == "told" else basis)
    return None if change.after is None else Outcome(None, change.after, past=False)


def _done(change: Change, before: str | None) -> Outcome | None:
    """Do a change on a text; None where it does not belong there."""
    if change.gone:
        return None if before is None else Outcome(before, None)
    if change.after is not None:
        is_known = not (change.hunks or change.edits) or _edited(change, before) is not None
        return Outcome(before, change.after) if is_known else None
    after = _edited(change, before)
    return None if after is None else Outcome(before, after)


def _edited(change: Change, before: str | None) -> str | None:
    if change.hunks:
        return None if before is None else applied(before, change.hunks)
    text = before
    for edit in change.edits:
        if not edit.old:
            text = edit.new if not text else None
        elif text is not None:
            text = _replaced(text, edit.old, edit.new, every=edit.every)
        if text is None:
            return None
    # a file that was moved and not changed has no edits
    return text if change.edits or change.from_path else None


def _replaced(text: str, old: str, new: str, *, every: bool) -> str | None:
    if "\r\n" in text and old not in text:
        old, new = (part.replace("\r\n", "\n").replace("\n", "\r\n") for part in (old, new))
    return text.replace(old, new, -1 if every else 1) if old in text else None


def _is_text(content: bytes) -> bool:
    if len(content) > _MAX_BYTES or is_binary(content):
        return False
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
