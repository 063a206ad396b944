"""A disk that remembers in which order it was told things, and what it may hold after the power went.

Recorded are the calls that change files below a folder, made by this process through `os`. Until a file is synced any
of its writes may be missing, or be there in part, in sectors or pages, in any order; sectors that never came are
NULs. Until a folder is synced any of the names made, moved or removed in it since may be missing.
"""

import contextlib
import fcntl
import itertools
import os
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from unittest import mock

SECTOR, PAGE = 512, 4096
CHANGES = ("open", "mkdir", "write", "ftruncate", "replace", "rename", "link", "unlink")
SYNCS = ("fsync", "fdatasync")
# A folder is its names, a file its bytes; both are known by number, as inodes are.
State = Mapping[str, bytes | None]


class Data(NamedTuple):
    """Bytes written to a file, or its size cut (then `content` is None)."""

    inode: int
    offset: int
    content: bytes | None


class Name(NamedTuple):
    """A name in a folder that was given to something, or taken from it (then `inode` is None)."""

    folder: int
    changes: tuple[tuple[str, int | None], ...]
    also: tuple["Name", ...] = ()  # the other half of a move between folders: never one without the other


class Synced(NamedTuple):
    """All that was done before to one file or folder is on the disk."""

    inode: int


class NotSynced(NamedTuple):
    """A sync failed: bytes that waited for it may never reach the disk, and no later sync will tell.

    Names are kept in a journal: those wait for the next sync, or the file system takes no more of anything.
    """

    inode: int


class Told(NamedTuple):
    """Texts were acknowledged."""

    texts: tuple[str, ...]


Change = Data | Name
Step = Change | Synced | NotSynced | Told
# What arrives on the disk of the n-th change that was not synced.
Arrives = Callable[[int, Change], Iterable[Change]]


class Disk:
    """What a folder held when recording began, and the steps since."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.steps: list[Step] = []
        self.files: dict[int, bytes] = {}
        self.folders: dict[int, dict[str, int]] = {}
        self._numbers = itertools.count()
        self._known: dict[int, int] = {}  # a number that the system gave to a file is given to others when that is gone
        self._top = self._taken_in(root)

    def told(self, texts: Any) -> None:
        self.steps.append(Told(tuple(texts)))

    @contextlib.contextmanager
    def recorded(self) -> Iterator[None]:
        """Record what the block does."""
        with contextlib.ExitStack() as stack:
            for call in (*CHANGES, *SYNCS):
                stack.enter_context(mock.patch.object(os, call, self._wrapped(getattr(os, call), call)))
            yield

    def after(self, steps: int, arrives: Arrives) -> State:
        """Return what is there when the power goes after so many steps."""
        files, folders = dict(self.files), {inode: dict(names) for inode, names in self.folders.items()}
        pending = itertools.count()
        for step, safe in _judged(self.steps[:steps]):
            for part in [step] if safe else arrives(next(pending), step):
                _apply(part, files, folders)
        return dict(_walk(self._top, "", files, folders))

    def _taken_in(self, path: str) -> int:
        inode = self._new(os.stat(path).st_ino)
        if os.path.isdir(path):
            self.folders[inode] = {name: self._taken_in(os.path.join(path, name)) for name in sorted(os.listdir(path))}
        else:
            with open(path, "rb") as file:
                self.files[inode] = file.read()
        return inode

    def _new(self, found: int) -> int:
        self._known[found] = next(self._numbers)
        return self._known[found]

    def _wrapped(self, real: Callable[..., Any], call: str) -> Callable[..., Any]:
        def recording(*args: Any, **kwargs: Any) -> Any:
            before = self._before(call, *args)
            try:
                result = real(*args, **kwargs)
            except OSError:
                if call in SYNCS:
                    self.steps.append(NotSynced(self._known[os.fstat(args[0]).st_ino]))
                raise
            if before is not None:
                self.steps += before(result)
            return result

        return recording

    def _before(self, call: str, *args: Any) -> Callable[[Any], list[Step]] | None:
        """Look at what a call is about to change; return what makes steps of it once it is done."""
        if call in {"write", "ftruncate"}:
            return self._writing(call, *args)
        if call in SYNCS:
            return lambda _: [Synced(self._known[os.fstat(args[0]).st_ino])]
        path = os.fspath(args[0])
        if not path.startswith(self.root):
            return None
        if call == "open":
            new = args[1] & os.O_CREAT and not os.path.exists(path)
            return (lambda _: [self._made(path, self.files, b"")]) if new else None
        if call in {"mkdir", "unlink"}:
            return lambda _: [self._made(path, self.folders, {}) if call == "mkdir" else self._name(path, None)]
        return self._moving(call, path, os.fspath(args[1]))

    def _writing(self, call: str, fd: int, what: Any) -> Callable[[Any], list[Step]] | None:
        status = os.fstat(fd)
        if not os.readlink(f"/proc/self/fd/{fd}").startswith(self.root):
            return None
        inode = self._known[status.st_ino]
        if call == "ftruncate":
            return lambda _: [Data(inode, what, None)]
        appends = fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_APPEND
        at = status.st_size if appends else os.lseek(fd, 0, os.SEEK_CUR)
        return lambda written: [Data(inode, at, bytes(what[:written]))]

    def _moving(self, call: str, source: str, target: str) -> Callable[[Any], list[Step]]:
        there, gone = self._name(target, self._known[os.stat(source).st_ino]), self._name(source, None)
        if call == "link":
            return lambda _: [there]
        if gone.folder == there.folder:
            return lambda _: [Name(there.folder, there.changes + gone.changes)]
        return lambda _: [there._replace(also=(gone,))]

    def _made(self, path: str, kind: dict[int, Any], content: Any) -> Name:
        inode = self._new(os.stat(path).st_ino)
        kind[inode] = content
        return self._name(path, inode)

    def _name(self, path: str, inode: int | None) -> Name:
        folder, name = os.path.split(path)
        return Name(self._known[os.stat(folder).st_ino], ((name, inode),))


def materialise(state: State, root: str) -> None:
    """Make the files of a state in an empty folder."""
    for path, content in state.items():
        full = os.path.join(root, path)
        if content is None:
            os.mkdir(full, 0o700)
        else:
            with open(full, "wb") as file:
                file.write(content)


def torn(write: Data, unit: int, keeps: Callable[[int], bool]) -> Iterator[Data]:
    """Yield what arrives of a write when only some of the units of the disk that it touches do."""
    if write.content is None:
        if keeps(0):
            yield write
        return
    end = write.offset + len(write.content)
    for number, at in enumerate(range(write.offset - write.offset % unit, end, unit)):
        first, last = max(at, write.offset), min(at + unit, end)
        if keeps(number):
            yield Data(write.inode, first, write.content[first - write.offset : last - write.offset])


def chance(seed: int) -> Arrives:
    """Return what arrives by a random number generator of this seed; each is good for one state."""
    source = random.Random(seed)
    often, unit = source.choice([0.1, 0.5, 0.9]), source.choice([SECTOR, PAGE])

    def arrives(number: int, step: Change) -> Iterable[Change]:
        if isinstance(step, Data):
            return torn(step, unit, lambda _: source.random() < often)
        return [step] if source.random() < often else []

    return arrives


def _judged(steps: Sequence[Step]) -> Iterator[tuple[Change, bool]]:
    """Yield the changes in their order, and whether each is on the disk for good."""
    safe: dict[int, bool] = {}
    waiting: defaultdict[int, list[int]] = defaultdict(list)
    for at, step in enumerate(steps):
        if isinstance(step, Data | Name):
            waiting[_where(step)].append(at)
        elif isinstance(step, Synced):
            safe |= dict.fromkeys(waiting.pop(step.inode, ()), True)
        elif isinstance(step, NotSynced):
            waiting[step.inode] = [one for one in waiting[step.inode] if isinstance(steps[one], Name)]
    return ((step, safe.get(at, False)) for at, step in enumerate(steps) if isinstance(step, Data | Name))


def _where(step: Change) -> int:
    return step.inode if isinstance(step, Data) else step.folder


def _apply(step: Change, files: dict[int, bytes], folders: dict[int, dict[str, int]]) -> None:
    if isinstance(step, Data):
        before = files.get(step.inode, b"")
        if step.content is None:
            files[step.inode] = before[: step.offset].ljust(step.offset, b"\0")
        else:
            end = step.offset + len(step.content)
            files[step.inode] = before[: step.offset].ljust(step.offset, b"\0") + step.content + before[end:]
    else:
        for part in (step, *step.also):
            names = folders.setdefault(part.folder, {})
            for name, inode in part.changes:
                if inode is None:
                    names.pop(name, None)
                else:
                    names[name] = inode


def _walk(
    inode: int, path: str, files: Mapping[int, bytes], folders: Mapping[int, Mapping[str, int]]
) -> Iterator[tuple[str, bytes | None]]:
    for name, child in folders.get(inode, {}).items():
        below = os.path.join(path, name)
        if child in folders:
            yield below, None
            yield from _walk(child, below, files, folders)
        else:
            yield below, files.get(child, b"")
