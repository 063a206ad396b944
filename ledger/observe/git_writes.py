"""What git itself put into files while a command ran, so that nobody is said to have written it.

Git brings contents in more ways than by moving HEAD: it applies a stash, takes a file from another branch, merges
without a commit. Whole contents are known again because git kept them before the command began; of mixed ones,
the lines that a revision git worked with explains are git's.
"""

import os
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from linetrail.ledger.files import is_binary
from linetrail.ledger.observe import scan
from linetrail.ledger.observe.diff import matches
from linetrail.ledger.observe.substance import split
from linetrail.ledger.repository import Repository, git, stash

# Where git keeps what a merge left in the worktree, marks of conflicts included.
MERGED = "AUTO_MERGE"
# What follows the commands of git that bring lines of another revision, up to the next command.
_TAKES = re.compile(r"\bgit\b[^;&|\n]*?\b(?:merge|cherry-pick|rebase|pull|revert)\b([^;&|\n]*)")
MAX_NAMED = 8
# The clock of a file system may be this far behind.
COARSE_NS = 50_000_000


class Ran(NamedTuple):
    """A command as git saw it: when it began, what the stash was then, how HEAD moved, what it says."""

    at_ns: int
    stash: str | None
    moved: scan.Moved | None
    command: str

    @property
    def stashing(self) -> bool:
        """Whether it speaks of a stash."""
        return "stash" in self.command

    @property
    def named(self) -> list[str]:
        """The revisions it may have had git take lines from."""
        words = (word for asked in _TAKES.findall(self.command) for word in asked.split())
        return list(dict.fromkeys(word for word in words if word[0] != "-" and ":" not in word))[:MAX_NAMED]


class File(NamedTuple):
    """A file before and after a command; None is no file."""

    before: bytes | None
    after: bytes | None


def brought(repository: Repository, ran: Ran, files: Mapping[str, File]) -> dict[str, bytes]:
    """Return what git alone would have left in these files; one that it did not touch is left out."""
    text = {path: file for path, file in files.items() if file.after and not is_binary(file.after)}
    whole = _kept_before(repository, ran, text)
    found = {path: text[path].after or b"" for path in whole}
    for source in _sources(repository, ran, [path for path in text if path not in whole]):
        for path, content in source.items():
            known = found.get(path, text[path].before or b"")
            found[path] = _explained(text[path].after or b"", known, content)
    return {path: content for path, content in found.items() if content != files[path].before}


def _sources(repository: Repository, ran: Ran, paths: list[str]) -> Iterator[dict[str, bytes]]:
    """Yield what the revisions that git worked with hold of these files."""
    if ran.moved and ran.moved.base != ran.moved.old:
        old = scan.contents(repository, ran.moved.old, paths)
        new = scan.contents(repository, ran.moved.base, paths)
        yield {path: content for path, content in new.items() if content != old.get(path)}
    if ran.stash is not None and (ran.stashing or stash(repository) != ran.stash):
        yield scan.contents(repository, ran.stash, paths)
    if _touched_since(os.path.join(repository.git_dir or "", MERGED), ran.at_ns):
        yield scan.contents(repository, MERGED, paths)
    for word in ran.named:
        found = git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{word}^{{commit}}")
        revision = found.decode().strip() if found else None
        if revision is not None and not _is_new(repository, revision, ran.at_ns):
            yield scan.contents(repository, revision, paths)


def _explained(after: bytes, *sources: bytes) -> bytes:
    """Return the lines of a content that one of the sources has, in their order."""
    lines = [line + b"\n" for line in after.split(b"\n")]
    substance = split(after).substance
    kept = {
        at
        for source in sources
        for match in matches(split(source).substance, substance)
        for at in range(match.b, match.b + match.length)
    }
    found = b"".join(lines[at] for at in sorted(kept))
    return after if len(kept) == len(substance) else found


def _kept_before(repository: Repository, ran: Ran, files: Mapping[str, File]) -> set[str]:
    """Return the files whose whole content git had before the command began.

    A new file that is a copy of one that was in HEAD then is the command's: it was copied, not brought.
    """
    names = scan.object_names(repository, list(files))
    old = {path: name for path, name in names.items() if not _is_new(repository, name, ran.at_ns)}
    if any(files[path].before is None for path in old):
        copies = scan.names_at(repository, ran.moved.old if ran.moved and ran.moved.old else "HEAD")
        old = {path: name for path, name in old.items() if files[path].before is not None or name not in copies}
    return scan.existing(repository, old)


def _is_new(repository: Repository, name: str, at_ns: int) -> bool:
    return _touched_since(os.path.join(repository.common_dir or "", "objects", name[:2], name[2:]), at_ns)


def _touched_since(path: str, at_ns: int) -> bool:
    try:
        return os.stat(path).st_mtime_ns + COARSE_NS >= at_ns
    except OSError:
        return False
