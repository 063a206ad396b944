"""Work out what a file held before and after a change, from what a history says and from what git kept.

Most histories tell what came and not what was there. The text before is then the one that the file was last left
with, else the one it had in the commit that the session began on, else in the last commits before that moment; each
counts only if the whole change can be done on it, and how the text is known is told with the event.
"""

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from linetrail.ledger.event.signal import Edit
from linetrail.ledger.files import is_binary
from linetrail.ledger.observe.hunks import applied
from linetrail.ledger.repository import Repository, file_path, git, object_id
from linetrail.projections.git.history import Objects
from linetrail.queries.importers.steps import Change

# How the text before is known where the history does not tell it.
REPLAYED, COMMIT, HISTORY = "replayed", "commit", "history"
# Commits that are known, and those of them before a change that are looked at.
_MAX_COMMITS, _TRIED = 50_000, 20
_MAX_BYTES = 4 * 1024 * 1024


class Outcome(NamedTuple):
    """A file's text before and after a change, None is no file; `past` is False where the text before is not known."""

    before: str | None
    after: str | None
    past: bool = True
    basis: str | None = None


class Past:
    """What git kept of the files of a repository."""

    def __init__(self, repository: Repository, objects: Objects) -> None:
        self._repository = repository
        self._objects = objects
        # the commits that HEAD comes from, the oldest first, each with its time in seconds; read when first asked for
        self._commits: list[tuple[int, str]] | None = None

    def texts(self, path: str, revision: str | None, time: int) -> Iterator[tuple[str, str | None]]:
        """Yield how each text that a file may have had is known, and the text; None where there was no file."""
        if object_id(revision) and self._objects.read(str(revision)) is not None:
            yield from self._text(COMMIT, str(revision), path)
        older = self._before(time)
        told: set[str | None] = set()
        for commit in older:
            for basis, text in self._text(HISTORY, commit, path):
                if text not in told:
                    told.add(text)
                    yield basis, text
        if not older and self._repository.git_dir is not None:
            # before its first commit a repository has no files
            yield HISTORY, None

    def _text(self, basis: str, commit: str, path: str) -> Iterator[tuple[str, str | None]]:
        content = self._objects.read(f"{commit}:{file_path(path)}")
        if content is None or _is_text(content):
            yield basis, None if content is None else content.decode()

    def _before(self, time: int) -> list[str]:
        """Return the last commits before a moment, the latest first."""
        if self._commits is None:
            listed = git(self._repository, "rev-list", "--timestamp", f"--max-count={_MAX_COMMITS}", "HEAD")
            told = (line.split() for line in (listed or b"").decode().splitlines())
            self._commits = sorted((int(seconds), commit) for seconds, commit in told)
        end = bisect_right(self._commits, time // 1_000_000_000, key=lambda made: made[0])
        return [commit for _, commit in reversed(self._commits[max(end - _TRIED, 0) : end])]


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
            text = replaced(text, edit, crlf="\r\n" in text)
        if text is None:
            return None
    # a file that was moved and not changed has no edits
    return text if change.edits or change.from_path else None


def replaced(text: str, edit: Edit, *, crlf: bool, whole_lines: bool = False) -> str | None:
    """Do one replacement; a removal takes the rest of its last line along where `whole_lines` is set."""
    old, new = edit.old, edit.new
    if crlf and old not in text:
        old, new = (part.replace("\r\n", "\n").replace("\n", "\r\n") for part in (old, new))
    end = "\r\n" if crlf else "\n"
    if whole_lines and not new and not old.endswith("\n") and old + end in text:
        old += end
    return text.replace(old, new, -1 if edit.every else 1) if old and old in text else None


def _is_text(content: bytes) -> bool:
    if len(content) > _MAX_BYTES or is_binary(content):
        return False
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
