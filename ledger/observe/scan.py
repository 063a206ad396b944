"""Which files a command may have changed: what git calls changed, and what was seen recently.

Only what is asked of git is here; how much of it a hook has time for is the caller's to say.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger.event.event import batches
from linetrail.ledger.observe.states import States
from linetrail.ledger.repository import FOLDER, Repository, file_path, git, stored_path

MAX_FILES = 2_000
MAX_COMMITS = 20
# What a reflog calls a commit whose content was written here; others finish a merge, a pick, a rebase.
_COMMITS = (b"commit:", b"commit (amend):", b"commit (initial):")
# What fits the buffer of a pipe.
MAX_STDIN_BYTES = 60_000
# The name of an object, its newline and a little more.
_NAME_BYTES = 70


class Moved(NamedTuple):
    """How HEAD came from one revision to another while a command ran."""

    old: str | None
    new: str
    # where the commits made here began: they hold what was written here; all before was brought by git
    base: str | None


def dirty_paths(repository: Repository) -> list[str]:
    """Return what `git status` lists, untracked files one by one, as stored paths."""
    listed = git(
        repository, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"
    )
    return [path for record in (listed or b"").split(b"\0") if len(record) > 3 and (path := _stored(record[3:]))]


def stale_paths(states: States) -> list[str]:
    """Return the remembered files that are no longer as they were noted."""
    return [state.path for state in states.recent() if not states.unchanged(state)]


def moved_paths(repository: Repository, moved: Moved) -> list[str]:
    """Return the files that differ between where HEAD was and where it is."""
    if moved.old is None:
        listed = git(repository, "ls-tree", "-r", "-z", "--name-only", moved.new)
    else:
        listed = git(repository, "diff", "--name-only", "-z", "--no-renames", moved.old, moved.new)
    return [path for name in (listed or b"").split(b"\0")[:MAX_FILES] if name and (path := _stored(name))]


def movement(repository: Repository, old: str | None, new: str | None) -> Moved | None:
    """Say how HEAD moved, from its reflog; None when it did not."""
    if new is None or new == old or repository.git_dir is None:
        return None
    return Moved(old, new, _base(os.path.join(repository.git_dir, "logs", "HEAD"), old, new))


def contents(repository: Repository, revision: str | None, paths: Sequence[str]) -> dict[str, bytes]:
    """Return the contents of files at a revision; a file that is not there is left out."""
    found: dict[str, bytes] = {}
    if revision is not None:
        for some in _askable(paths):
            names = b"".join(b"%s:%s\n" % (revision.encode(), os.fsencode(file_path(path))) for path in some)
            found |= _blobs(git(repository, "cat-file", "--batch", stdin=names) or b"", some)
    return found


def object_names(repository: Repository, paths: Sequence[str]) -> dict[str, str]:
    """Return what git would call the contents of these files of the worktree."""
    names: dict[str, str] = {}
    for some in _askable(paths):
        listed = git(
            repository, "hash-object", "--stdin-paths", stdin=b"".join(os.fsencode(file_path(p)) + b"\n" for p in some)
        )
        names |= dict(zip(some, (listed or b"").decode().split(), strict=False))
    return names


def existing(repository: Repository, names: Mapping[str, str]) -> set[str]:
    """Return the keys of the objects that git has."""
    found: set[str] = set()
    for some in batches(names, lambda _: _NAME_BYTES, MAX_STDIN_BYTES):
        asked = "".join(f"{names[key]}\n" for key in some).encode()
        listed = git(repository, "cat-file", "--batch-check=%(objectname)", stdin=asked) or b""
        answers = zip(some, listed.decode().splitlines(), strict=False)
        found.update(key for key, answer in answers if answer == names[key])
    return found


def names_at(repository: Repository, revision: str) -> dict[str, str]:
    """Return what git calls the contents at a revision, each with a file that has it."""
    listed = git(repository, "ls-tree", "-r", "-z", revision)
    records = (record.partition(b"\t") for record in (listed or b"").split(b"\0")[:-1])
    found = ((entry.decode().rpartition(" ")[2], _stored(name)) for entry, _, name in records)
    return {name: path for name, path in found if path}


def new_commits(repository: Repository, moved: Moved) -> list[tuple[str, list[str], list[str]]]:
    """Return the commits made at the end of a movement, oldest first: revision, parents, files."""
    span = moved.new if moved.base is None else f"{moved.base}..{moved.new}"
    log = git(
        repository, "log", "-z", "--reverse", f"--max-count={MAX_COMMITS}", "--format=%x01%H %P", "--name-only", span
    )
    commits = []
    for block in (log or b"").split(b"\1")[1:]:
        heading, *names = block.replace(b"\n", b"\0").split(b"\0")
        revision, *parents = heading.decode().split()
        commits.append((revision, parents, [path for name in names if name and (path := _stored(name))]))
    return commits


def patch_id(repository: Repository, revision: str) -> str | None:
    """Return git's stable patch id of a commit; None for a merge and where the patch is too large to ask about."""
    patch = git(repository, "diff-tree", "-p", "--root", revision)
    if not patch or len(patch) > MAX_STDIN_BYTES:
        return None
    return (git(repository, "patch-id", "--stable", stdin=patch) or b"").decode().partition(" ")[0] or None


def _askable(paths: Sequence[str]) -> Iterator[list[str]]:
    """Group paths, each with the name of a revision before it, as fits the buffer of a pipe."""
    one_line = (path for path in paths if "\n" not in path)
    return batches(one_line, lambda path: len(os.fsencode(path)) + _NAME_BYTES, MAX_STDIN_BYTES)


def _blobs(output: bytes, paths: Sequence[str]) -> dict[str, bytes]:
    """Read what `git cat-file --batch` prints: a heading, the content, a newline; or one line that ends in missing."""
    found = {}
    at = 0
    for path in paths:
        end = output.find(b"\n", at)
        if end < 0:
            break
        heading = output[at:end].split(b" ")
        at = end + 1
        if len(heading) == 3 and heading[2].isdigit():
            size = int(heading[2])
            if heading[1] == b"blob":
                found[path] = output[at : at + size]
            at += size + 1
    return found


def _stored(name: bytes) -> str | None:
    path = stored_path(os.fsdecode(name))
    return None if path.startswith(f"{FOLDER}/") or path.endswith("/") else path


def _base(reflog: str, old: str | None, new: str) -> str | None:
    """Read the reflog from its end, back over the commits made here, at most to the line that left `old`."""
    try:
        with open(reflog, "rb") as file:
            file.seek(max(os.fstat(file.fileno()).st_size - 65_536, 0))
            lines = file.read().splitlines()
    except OSError:
        return new
    start = (old or "0" * len(new)).encode()
    base = new.encode()
    for line in reversed(lines):
        before, _, rest = line.partition(b" ")
        after, _, reason = rest.partition(b" ")
        if after != base or (before != after and not reason.partition(b"\t")[2].startswith(_COMMITS)):
            break
        base = before
        if base == start:
            return old
    return base.decode(errors="replace")
