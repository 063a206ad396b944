"""Keep the live tail from being swept away: a second name for it in git's own folder, and a note of its end.

The tail is ignored by git, so `git clean -fdx` or the removal of a worktree deletes it. A hard link costs nothing and
holds the same bytes, so nothing is lost with the first name. Where lines were cut off in place, or a disk has no hard
links, the note tells that something is missing.
"""

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.files import PRIVATE_FILE, aside_name, make_folder, sync_folder
from linetrail.ledger.hashes import sha256
from linetrail.ledger.log.chain import START, Head
from linetrail.ledger.repository import Repository

MAIN, WORKTREES = "main", "worktrees"
_LINK, _NOTE = ".jsonl", ".end"
_CHUNK = 1 << 20


class Anchor(NamedTuple):
    """The second name and the note of one worktree's tail."""

    folder: str
    name: str

    @property
    def link(self) -> str:
        """The second name."""
        return os.path.join(self.folder, self.name + _LINK)

    @property
    def note(self) -> str:
        """The file that says how far the tail went."""
        return os.path.join(self.folder, self.name + _NOTE)

    def bring_back(self, tail: str) -> bool:
        """Give the tail its first name again where only the second is left."""
        try:
            os.link(self.link, tail)
        except OSError:
            return False
        sync_folder(os.path.dirname(tail))
        return True

    def tie(self, fd: int, tail: str, quarantine: str) -> bool:
        """Make the second name one of the open, locked tail; False when the second held more and took its place."""
        with contextlib.suppress(OSError):
            make_folder(self.folder, durable=True)
            ours, kept = os.fstat(fd).st_size, _size(self.link)
            same = kept is None or _same_start(fd, self.link, min(ours, kept))
            if same and kept is not None and kept > ours:
                self._put(self.link, tail)
                return False
            if not same:
                make_folder(quarantine, durable=True)
                os.replace(self.link, aside_name(os.path.join(quarantine, os.path.basename(self.link))))
            self._put(tail, self.link)
        return True

    def hand_over(self, successor: str) -> None:
        """Let the second name be one of the file that is about to become the tail."""
        self.write(START, "")
        with contextlib.suppress(OSError):
            self._put(successor, self.link)

    def write(self, head: Head, newest_id: str) -> None:
        """Note how far the tail goes. What a crash leaves unwritten makes the note older, and that is no alarm."""
        with contextlib.suppress(OSError):
            fd = os.open(self.note, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
            # Of one length, and a sum at the end: who reads meanwhile may see half of it and half of an older one.
            fields = f"{head.size:016d}", f"{head.seq:016d}", newest_id[:36] or "-", head.digest
            try:
                os.write(fd, "{} {} {:36} {} {}\n".format(*fields, _sum(fields)).encode())
            finally:
                os.close(fd)

    def read(self) -> tuple[Head, str]:
        """Return how far the tail was noted to go, and the highest id in it; the start when nothing was noted."""
        try:
            fd = os.open(self.note, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return START, ""
        try:
            return _parsed(os.read(fd, 200).decode("ascii"))
        except (OSError, ValueError):
            return START, ""
        finally:
            os.close(fd)

    def release(self) -> None:
        """Forget a tail whose lines are all sealed."""
        for path in (self.link, self.note):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    def _put(self, existing: str, name: str) -> None:
        """Give a file another name in one step, whatever had that name before."""
        aside = aside_name(os.path.join(self.folder, os.path.basename(name)))
        os.link(existing, aside)
        os.replace(aside, name)
        sync_folder(os.path.dirname(name))


def anchor(repository: Repository) -> Anchor | None:
    """Return the anchor of a worktree's tail; without git there is none."""
    if repository.git_dir is None or repository.common_dir is None:
        return None
    folder = os.path.join(repository.common_dir, "linetrail", "tails")
    if repository.git_dir == repository.common_dir:
        return Anchor(folder, MAIN)
    return Anchor(folder, f"{WORKTREES}-{os.path.basename(repository.git_dir)}")


def orphans(repository: Repository) -> Iterator[Anchor]:
    """Yield the anchors of worktrees that are gone."""
    ours = anchor(repository)
    if ours is None or repository.common_dir is None:
        return
    with contextlib.suppress(OSError):
        for entry in sorted(os.listdir(ours.folder)):
            name, kind = os.path.splitext(entry)
            gone = name.removeprefix(f"{WORKTREES}-")
            known = os.path.isdir(os.path.join(repository.common_dir, WORKTREES, gone))
            if kind == _LINK and gone != name and not known:
                yield Anchor(ours.folder, name)


def _parsed(note: str) -> tuple[Head, str]:
    """Read a note; half a one is none. Without a sum it is of an earlier linetrail."""
    size, seq, newest, digest, *told = note.split()
    if not note.endswith("\n") or told not in ([], [_sum((size, seq, newest, digest))]):
        raise ValueError(note)
    return Head(int(size), int(seq), digest), newest


def _sum(fields: Sequence[str]) -> str:
    """Return what tells a note from pieces of two."""
    return sha256(" ".join(fields).encode()).hexdigest()[:16]


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return None


def _same_start(fd: int, path: str, size: int) -> bool:
    """Return whether two files begin with the same bytes."""
    with open(path, "rb") as other:
        return all(
            os.pread(fd, min(_CHUNK, size - at), at) == other.read(min(_CHUNK, size - at))
            for at in range(0, size, _CHUNK)
        )
