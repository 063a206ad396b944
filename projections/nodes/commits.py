"""Ask git for the commits that changed a file, each with those before it, and for all that one commit changed.

Commits that left the file alone are not among them: a commit's parents here are the last ones before it that changed
the file, on each branch that did.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger.repository import FOLDER, Repository, file_path, git, stored_path

_SEPARATOR = "\x1f"
_FORMAT = "%H%x1f%P%x1f%an%x1f%at%x1f%s"
_PLAIN = ("--topo-order", "--no-show-signature", "--no-notes")
_LISTED = ("log", "--parents", *_PLAIN, f"--format={_FORMAT}")
# What a commit begins with where the files that it changed come behind it.
_COMMIT = b"\x02"
_WITH_FILES = (*_PLAIN, f"--format=%x02{_FORMAT}")
_RAW = ("--raw", "-z", "-r", "--no-abbrev", "--find-renames", "-l1000", "--ignore-submodules=all", "--no-relative")
_FILES = (b"100644", b"100755")


class Commit(NamedTuple):
    """A commit that changed a file, and the ones before it that did."""

    revision: str
    parents: Sequence[str]
    author: str
    author_time: int
    subject: str


class Changed(NamedTuple):
    """A file that a step changed: its names, and its blobs as far as git has them; None on the side where it is not."""

    old: str | None
    new: str | None
    old_blob: str | None
    new_blob: str | None


def commits(repository: Repository, revision: str, path: str) -> Mapping[str, Commit]:
    """Return the commits up to a revision that changed the file of this name, the latest first."""
    listed = git(repository, "--literal-pathspecs", *_LISTED, revision, "--", file_path(path)) or b""
    found = {}
    for line in listed.decode(errors="replace").split("\n")[:-1]:
        commit = _commit(line)
        found[commit.revision] = commit
    return found


def blobs(repository: Repository, revision: str) -> dict[str, str]:
    """Return the files that a commit has, each with the blob that is its content."""
    listed = git(repository, "ls-tree", "-r", "-z", "--full-tree", revision) or b""
    records = (record.partition(b"\t") for record in listed.split(b"\0")[:-1])
    return {_stored(name): about.decode().rpartition(" ")[2] for about, _, name in records if about[:6] in _FILES}


def changed_by(repository: Repository, revision: str) -> list[Changed]:
    """Return the files that a commit changed against the first before it; for the first of all, those it made."""
    against = ("--root", "--no-commit-id", "--diff-merges=first-parent")
    return list(_read(git(repository, "diff-tree", *against, *_RAW, revision) or b""))


def changed_since(repository: Repository, revision: str) -> list[Changed]:
    """Return the tracked files of the work tree that differ from a commit."""
    return list(_read(git(repository, "diff", *_RAW, revision) or b""))


def history(repository: Repository, revision: str) -> Iterator[tuple[Commit, list[Changed]]]:
    """Yield all commits up to a revision, each after its parents, with what it changed against the first of them.

    These are real parents, whatever they changed.
    """
    command = ("-c", "log.showRoot=true", "log", "--reverse", "--diff-merges=first-parent", *_WITH_FILES, *_RAW)
    fields = iter((git(repository, *command, revision) or b"").split(b"\0"))
    commit: Commit | None = None
    changed: list[Changed] = []
    for field in fields:
        if field.startswith(_COMMIT):
            if commit is not None:
                yield commit, changed
            commit, changed = _commit(field[1:].decode(errors="replace")), []
        elif field:
            changed += filter(None, [_changed(field.lstrip(b"\n"), fields)])
    if commit is not None:
        yield commit, changed


def _commit(line: str) -> Commit:
    name, parents, author, moment, subject = line.split(_SEPARATOR, 4)
    return Commit(name, parents.split(), author, int(moment), subject)


def _read(listed: bytes) -> Iterator[Changed]:
    fields = iter(listed.split(b"\0"))
    return (found for heading in fields if heading and (found := _changed(heading, fields)) is not None)


def _changed(heading: bytes, fields: Iterator[bytes]) -> Changed | None:
    """Read what git prints: modes, blobs and status, then one name, or two where the file got another."""
    old_mode, new_mode, old_blob, new_blob, status = heading[1:].split(b" ")
    old = new = _stored(next(fields))
    if status[:1] in {b"R", b"C"}:
        new = _stored(next(fields))
    was = old_mode in _FILES and status[:1] != b"C" and not old.startswith(f"{FOLDER}/")
    is_ = new_mode in _FILES and not new.startswith(f"{FOLDER}/")
    if not was and not is_:
        return None
    return Changed(
        old if was else None,
        new if is_ else None,
        _blob(old_blob) if was else None,
        _blob(new_blob) if is_ else None,
    )


def _stored(name: bytes) -> str:
    return stored_path(os.fsdecode(name))


def _blob(name: bytes) -> str | None:
    text = name.decode()
    return None if text.strip("0") == "" else text
