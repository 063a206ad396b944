"""Ask who git says wrote lines: git itself for few files, the whole history at once for many."""

import hashlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from linetrail.ledger.repository import Repository, file_path, git, head
from linetrail.projections.git.history import Blamed, Blaming, Objects, length
from linetrail.projections.git.target import Target

if TYPE_CHECKING:
    from linetrail.projections.git.annotation import Annotation

# So few questions are always asked of git itself, and of so long a history all. To read a commit costs as much as so
# many questions about it, and a process as much as so many commits.
FEW, MOST, LEAST, SHARE = 12, 100_000, 120, 200
# The length of an object's name where it is one of SHA-1.
SHA1 = 40


class Answered(NamedTuple):
    """An answer that is there already, where others have to wait for git."""

    blamed: Blamed

    def answer(self) -> Blamed:
        """Return it."""
        return self.blamed

    def close(self) -> None:
        """Stop nothing."""


class Blames:
    """Ask who git says wrote lines: git itself for few files, the whole history at once for many."""

    def __init__(self, repository: Repository, store: Objects, flags: Sequence[str] = ()) -> None:
        self._repository, self._store, self._flags = repository, store, tuple(flags)
        self._questions = 0
        self._annotation: Annotation | None = None
        self._commits: int | None = None

    def close(self) -> None:
        """Let go of the history."""
        if self._annotation is not None:
            self._annotation.close()

    def expect(self, questions: int) -> None:
        """Prepare for so many questions more."""
        self._questions += questions

    def ask(self, target: Target, numbers: Sequence[int] | None = None) -> "Blaming | Answered":
        """Ask about a content, or about these lines of it."""
        known = self._known(target, numbers)
        if known is not None:
            return Answered(known)
        self._questions += 1
        return Blaming(self._repository, target, self._flags, numbers)

    def patch(self, revision: str) -> Sequence[bytes] | None:
        """Return the lines of the patch of a commit, where the history is at hand."""
        walk = self._annotation.walk if self._annotation is not None else None
        number = walk.numbers.get(revision) if walk is not None and walk.whole else None
        return walk.patch(number) if walk is not None and number is not None else None

    def was_committed(self, path: str, head: str) -> bool:
        """Return whether a file is in a commit or in one before it."""
        walk = self._annotation.walk if self._annotation is not None else None
        number = walk.numbers.get(head) if walk is not None and walk.whole else None
        if walk is not None and number is not None:
            if not walk.names_file(path):
                return False
            if walk.last(number, path) is not None:
                return True
        elif self._store.read(f"{head}:{path}") is not None:
            return True
        # a branch that was merged may have had it
        asked = ("--full-history", "--max-count=1", "--format=%H", head, "--", f":(literal){path}")
        return git(self._repository, "log", *asked) != b""

    def _known(self, target: Target, numbers: Sequence[int] | None) -> Blamed | None:
        annotation = self._history(target.revision or target.head)
        path = file_path(target.path)
        if annotation is None:
            return None
        revision = target.revision or self._committed(annotation, target, path)
        found = annotation.blamed(revision, path, numbers) if revision else None
        fits = found is not None and len(found.lines) == (length(target.content) if numbers is None else len(numbers))
        return found if fits else None

    def _committed(self, annotation: "Annotation", target: Target, path: str) -> str | None:
        """Return the last commit where a file of the work tree is as it is there; while a merge goes on, none."""
        at = annotation.walk.numbers.get(target.head or "")
        blob = None if at is None else annotation.walk.blob(at, path)
        if blob is None or os.path.exists(os.path.join(self._repository.git_dir or "", "MERGE_HEAD")):
            return None
        named = hashlib.new("sha1" if len(blob) == SHA1 else "sha256", b"blob %d\0" % len(target.content))
        named.update(target.content)
        return target.head if named.hexdigest() == blob else None

    def _history(self, revision: str | None) -> "Annotation | None":
        """Return the whole history where so much is asked that reading it costs less."""
        if self._annotation is None and revision is not None and self._is_worth_it(revision):
            last = head(self._repository)
            from linetrail.projections.git.annotation import Annotation  # few questions need none

            heads = dict.fromkeys(name for name in (last and last.revision, revision) if name)
            self._annotation = Annotation(self._repository, self._store, *heads)
        return self._annotation if self._annotation is not None and self._annotation.walk.whole else None

    def _is_worth_it(self, revision: str) -> bool:
        if self._flags or self._questions <= FEW or self._repository.git_dir is None:
            return False
        if self._commits is None:
            counted = git(self._repository, "rev-list", "--count", revision) or b"0"
            self._commits = int(counted)
        # one question costs a process and its share of history, reading all costs the same for every commit
        return self._commits <= MOST and self._questions * (SHARE + self._commits) >= LEAST * self._commits
