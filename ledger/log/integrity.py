"""Find what of a ledger is damaged or missing, at little more than the price of a look at its files.

What was read is remembered in the cache, with the stamp that its file had; where the stamp differs it is read again.
So damage is found each time and not only the first, and a cache that is lost costs one reading.
"""

import contextlib
import json
import os
import time
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeVar

from linetrail.ledger.errors import IntegrityError, StorageError
from linetrail.ledger.event.event import line_digest
from linetrail.ledger.files import Stamp, is_settled, publish, sha256, stamp
from linetrail.ledger.log import chain, segment_links, segments
from linetrail.ledger.log.chain import START, Head
from linetrail.ledger.log.segments import SEGMENTS
from linetrail.ledger.repository import FOLDER, Repository, git, head

if TYPE_CHECKING:
    from hashlib import _Hash

_CHUNK = 1 << 20
# How a line of this version begins; its id follows.
_BEGIN = b'{"v":1,"id":"'
_PLACE = f"{FOLDER}/{SEGMENTS}"


class _Followed(NamedTuple):
    """A tail whose lines follow one another up to an end: the hash of them all, and the stamp that its file had."""

    at: list[int] | None = None
    end: tuple[int, int, str] = START
    sha256: str = ""


class _Tracked(NamedTuple):
    """The segments that git has: in an index with this stamp, at a revision, and of those we sealed in any commit."""

    at: list[int] | None = None
    staged: Sequence[str] = ()
    revision: str | None = None
    committed: Sequence[str] = ()
    elsewhere: Sequence[str] = ()


Memory = TypeVar("Memory", _Followed, _Tracked)


def follow(tail: BinaryIO, path: str, folder: str, end: Head) -> tuple[Head, IntegrityError | None]:
    """Return how far the lines of a tail follow one another, up to `end`, and what is wrong behind that."""
    now_ns, at = time.time_ns(), stamp(os.fstat(tail.fileno()))
    known = _remembered(folder, _Followed)
    if known.at == [*at] and [*known.end] == [*end]:
        return end, None
    reached, read = resumed(tail, Head(*known.end), known.sha256)
    for raw in chain.raw_lines(tail, reached, end):
        if not _follows(raw, reached):
            line, problem = chain.judge(raw, path, reached)
            if line is None or problem is not None:
                return reached, problem
        reached = Head(reached.size + len(raw), reached.seq + 1, line_digest(raw))
        read.update(raw)
    _remember(folder, _Followed(_settled(at, now_ns), reached, read.hexdigest()), known)
    return reached, None


def cut(tail: BinaryIO, path: str, folder: str, end: Head, noted: Head) -> IntegrityError | None:
    """Say what is missing of a tail, or is not as it was, by the note that was made of its end."""
    if noted.seq == 0 or _goes_through(tail, end, noted) or _is_sealed(folder, noted.digest):
        return None
    if noted.seq > end.seq:
        message = f"{noted.seq - end.seq} acknowledged lines are missing: it went on to line {noted.seq}"
        return IntegrityError(path, end.size, "TAIL_CUT", f"{message}, it ends with line {end.seq}")
    message = f"line {noted.seq} is not the one that was acknowledged"
    return IntegrityError(path, min(noted.size, end.size), "TAIL_CHANGED", message)


def resumed(tail: BinaryIO, known: Head, digest: str) -> "tuple[Head, _Hash]":
    """Return the end of the lines that were read before, if they are what they were, and the hash of them all."""
    tail.seek(0)
    read = sha256(tail.read(min(known.size, _CHUNK)))
    left = known.size - tail.tell()
    while left and (chunk := tail.read(min(left, _CHUNK))):
        read.update(chunk)
        left -= len(chunk)
    return (known, read) if not left and read.hexdigest() == digest else (START, sha256())


def gone(repository: Repository, present: Collection[str], *, anew: bool = False) -> Iterator[IntegrityError]:
    """Yield the segments that git has, or that were sealed here, and that are not in the worktree.

    `anew` asks git, whatever it said before.
    """
    if repository.git_dir is None:
        return
    known = _remembered(repository.folder, _Tracked)
    now = _asked(repository, repository.git_dir, _Tracked() if anew else known)
    doubtful = segment_links.kept(repository).keys() - {*present, *now.elsewhere}
    lost = list(segment_links.uncommitted(repository, doubtful, segment_links.ANYWHERE))
    now = now._replace(elsewhere=sorted({*now.elsewhere, *doubtful.difference(lost)}))
    _remember(repository.folder, now, known)
    told = {
        **dict.fromkeys(lost, "was sealed, never committed, and is not here; git's folder keeps it"),
        **dict.fromkeys(now.committed, "is not here, and HEAD has it"),
        **dict.fromkeys(now.staged, "is not here, and git's index has it"),
    }
    for name in sorted(told.keys() - set(present)):
        file = segments.path(repository.folder, name)
        # Look again: what was sealed while all this is looked at is not missing.
        if not os.path.lexists(file):
            yield IntegrityError(file, 0, "SEGMENT_MISSING", told[name])


def _follows(raw: bytes, after: Head) -> bool:
    """Return whether a line certainly names the one before it; where there is a doubt, the slow reader decides."""
    named = b'","seq":%d,"prev":"%s",' % (after.seq + 1, after.digest.encode())
    return raw.startswith(_BEGIN) and raw.startswith(named, raw.find(b'"', len(_BEGIN)))


def _goes_through(tail: BinaryIO, end: Head, noted: Head) -> bool:
    if end.seq <= noted.seq:
        return end[1:] == noted[1:]
    tail.seek(noted.size)
    return b'"prev":"%s"' % noted.digest.encode() in tail.readline()[:400]


def _is_sealed(folder: str, digest: str) -> bool:
    with contextlib.suppress(IntegrityError):
        return segments.hold(folder, digest)
    return False


def _asked(repository: Repository, git_dir: str, known: _Tracked) -> _Tracked:
    """Return what git has; it is asked where its index, or the commit at HEAD, is not the one known."""
    now_ns, vcs = time.time_ns(), head(repository)
    try:
        index = stamp(os.stat(os.path.join(git_dir, "index")))
    except OSError:
        known = known._replace(at=None, staged=())
    else:
        if known.at != [*index]:
            staged = _listed(repository, "ls-files", "-z", "--", _PLACE)
            known = known._replace(at=_settled(index, now_ns), staged=staged)
    revision = vcs and vcs.revision
    if revision is None:
        return known._replace(revision=None, committed=())
    if revision != known.revision:
        committed = _listed(repository, "ls-tree", "-r", "-z", "--full-tree", "--name-only", revision, "--", _PLACE)
        known = known._replace(revision=revision, committed=committed)
    return known


def _listed(repository: Repository, *command: str) -> list[str]:
    files = os.fsdecode(git(repository, *command) or b"").split("\0")
    return [name for name in map(segments.name_of, files) if name is not None]


def _settled(at: Stamp, now_ns: int) -> list[int] | None:
    return [*at] if is_settled(at, now_ns) else None


def _file(folder: str, kind: type[NamedTuple]) -> str:
    return os.path.join(folder, "cache", {_Followed: "tail.json", _Tracked: "tracked.json"}[kind])


def _remembered(folder: str, kind: type[Memory]) -> Memory:
    try:
        with open(_file(folder, kind), "rb") as file:
            return kind(*json.load(file))
    except (OSError, ValueError, TypeError):
        return kind()


def _remember(folder: str, now: Memory, before: Memory) -> None:
    """Keep what was found, if it is not what was kept before."""
    file = _file(folder, type(now))
    if json.dumps(now) != json.dumps(before) and os.path.isdir(os.path.dirname(file)):
        with contextlib.suppress(OSError, StorageError):
            publish(file, json.dumps(now).encode(), durable=False)
