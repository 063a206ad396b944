"""Say which commits `git blame` is to look past: those that only formatted, as a project or a person lists them.

The list of the project is `.git-blame-ignore-revs` at the root, which hosts of repositories read as well; a person's is
what `blame.ignoreRevsFile` names. A list is shared by clones that do not have all of its commits: these are left out.
"""

import os
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository, git
from linetrail.projections.git.history import run

STANDING = ".git-blame-ignore-revs"
_ID = re.compile(rb"[0-9a-fA-F]{4,64}")


class Ignored(NamedTuple):
    """The commits to look past; `missing` are entries that name none here, by the file that has them."""

    revisions: tuple[str, ...]
    missing: dict[str, int]

    @property
    def flags(self) -> list[str]:
        """Return this as `git blame` is told."""
        return [f"--ignore-rev={revision}" for revision in self.revisions]


def standing_files(repository: Repository) -> list[str]:
    """Return the lists that are looked at without being asked for, as far as they are there."""
    said = git(repository, "config", "--type=path", "--null", "--get-all", "blame.ignoreRevsFile") or b""
    names = [os.fsdecode(name) for name in said.split(b"\0")[:-1]]
    last_reset = max((at for at, name in enumerate(names) if not name), default=-1)
    found = [os.path.join(repository.root, name) for name in [STANDING, *names[last_reset + 1 :]]]
    return [file for file in dict.fromkeys(map(os.path.normpath, found)) if os.path.isfile(file)]


def ignored(repository: Repository, files: Iterable[str], revisions: Sequence[str] = ()) -> Ignored:
    """Return the commits that these files list, and these revisions; UsageError where one of these is none."""
    listed = [(file, name) for file in files for name in _entries(file)]
    if repository.git_dir is None or not (listed or revisions):
        return Ignored((), {})
    commits = _commits(repository, [*(name for _, name in listed), *revisions])
    for revision in revisions:
        if commits[revision] is None:
            raise UsageError(f"no revision {revision} to ignore in {repository.root}")
    missing: dict[str, int] = {}
    for file, name in listed:
        if commits[name] is None:
            missing[file] = missing.get(file, 0) + 1
    return Ignored(tuple(sorted({commit for commit in commits.values() if commit})), missing)


def standing(repository: Repository) -> Ignored:
    """Return the commits that the project and the person list."""
    return ignored(repository, standing_files(repository))


def _entries(file: str) -> list[str]:
    """Read one list: an id on each line, and what follows a number sign is a comment."""
    try:
        with open(file, "rb") as stream:
            words = [line.partition(b"#")[0].strip() for line in stream]
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    return [word.decode(errors="replace") if _ID.fullmatch(word) else "" for word in words if word]


def _commits(repository: Repository, names: Sequence[str]) -> dict[str, str | None]:
    """Look up the commit that each name means; None where it means none in this clone."""
    asked = [name for name in dict.fromkeys(names) if name and "\n" not in name]
    process = run(repository, "cat-file", "--batch-check=%(objecttype) %(objectname)")
    output, _ = process.communicate(b"".join(os.fsencode(f"{name}^{{commit}}\n") for name in asked))
    answers = (line.split(b" ") for line in output.split(b"\n"))
    found = {
        name: answer[1].decode() if len(answer) == 2 and answer[0] == b"commit" else None
        for name, answer in zip(asked, answers, strict=False)
    }
    return {name: found.get(name) for name in names}
