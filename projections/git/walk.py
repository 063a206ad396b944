"""Read a whole history at once: which files each commit changed, and in which lines.

One `git log` has the commits and the names of files, one the hunks without context. `git blame` of a single file costs
less than these; of all files, or of many old ones, it costs ten times as much.
"""

import io
import os
import re
import subprocess
import tempfile
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import IO, NamedTuple

from linetrail.ledger.repository import Repository, invocation
from linetrail.projections.git.history import PATCH, Commit, cut_commits, unquoted
from linetrail.projections.git.plumbing import answer as git_answer

_MARK = b"\x02"
_FIELDS = "%H %P %aN %aE %at %ad %cN %cE %ct %cd %B".replace(" ", "%x1f")
_LOG = ("-c", "log.showRoot=true", "log", "--reverse", "--topo-order", "--no-show-signature", "--no-notes")
_COMMITS = ("--diff-merges=first-parent", "--raw", "-z", "-r", "--no-abbrev", "-M", "--date=raw")
# So much of a patch is read at a time.
_BLOCK = 1 << 20
_SUBMODULE = "160000"
_PATCHES = ("--no-diff-merges", "--no-renames", "--diff-filter=DMT")
_RENAMES = ("--no-diff-merges", "-M", "--diff-filter=R")
_END = re.compile(rb"^end\n", re.MULTILINE)
_TOKEN = re.compile(
    rb"^(?:@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@|\x00([0-9a-f]+)$|diff --git (.*)$"
    rb"|rename to (.*)$|(Binary files ))",
    re.MULTILINE,
)

# Old lines that became new ones: the first and how many of each side; an empty side names the line before it.
Hunk = tuple[int, int, int, int]
# Those of a file; None where git shows no lines of it.
Hunks = Sequence[Hunk] | None
# A file as a commit has it.
Place = tuple[int, str]


class Change(NamedTuple):
    """What a commit did to a file against its first parent: `status` as in `git log --raw`, and what it was there."""

    status: str
    old: str
    old_blob: str
    new_blob: str


class _Headers(NamedTuple):
    """A commit's fields, as the format has them."""

    author: str
    author_mail: str
    author_time: str
    author_date: str
    committer: str
    committer_mail: str
    committer_time: str
    committer_date: str
    message: str


class Walk:
    """All commits up to these, each after its parents, by number."""

    def __init__(self, repository: Repository, heads: Sequence[str]) -> None:
        self._repository, self._cut = repository, cut_commits(repository)
        self.names: list[str] = []
        self.numbers: dict[str, int] = {}
        self.parents: list[list[int]] = []
        self.changes: list[dict[str, Change]] = []
        self._headers: list[_Headers] = []
        self._files = [tempfile.TemporaryFile() for _ in range(2)]  # noqa: SIM115  `close` closes them
        started = [
            _start(repository, file, *_LOG, *flags, *PATCH, "--format=%x00%H", *heads, "--")
            for file, flags in zip(self._files, (_PATCHES, _RENAMES), strict=True)
        ]
        try:
            with tempfile.TemporaryFile() as file:
                listing = _start(repository, file, *_LOG, *_COMMITS, f"--format=%x02{_FIELDS}", *heads, "--")
                self.whole = listing.wait() == 0
                file.seek(0)
                self._read(file.read() if self.whole else b"")
        finally:
            ended = [process.wait() for process in started]
            self.whole = self.whole and not any(ended)
        self._chains()
        self._by_path: dict[str, dict[int, tuple[list[int], list[int]]]] = {}
        self._index()
        self.patches: list[dict[str, Hunks]] = [{} for _ in self.names]
        self.renames: list[dict[str, Hunks]] = [{} for _ in self.names]
        self._merged = cache(self._merges)
        self._spans: dict[int, tuple[int, int]] = {}
        if self.whole:
            self._read_patches(self._files[0], self.patches, self._spans)
            self._read_patches(self._files[1], self.renames, {})

    def close(self) -> None:
        """Let go of what git printed."""
        for file in self._files:
            file.close()

    def names_file(self, path: str) -> bool:
        """Return whether some commit has or had a file."""
        return path in self._by_path

    def last(self, number: int, path: str) -> int | None:
        """Return the commit that last changed a file before this one or in it, along first parents."""
        changed = self._by_path.get(path)
        if changed is None:
            return None
        chain, at = self._chain[number], self._at[number]
        while True:
            if chain in changed:
                places, numbers = changed[chain]
                found = bisect_right(places, at)
                if found:
                    return numbers[found - 1]
            before = self._before[chain]
            if before is None:
                return None
            chain, at = self._chain[before], self._at[before]

    def blob(self, number: int, path: str) -> str | None:
        """Return the blob of a file in a commit; None where that does not have it."""
        last = self.last(number, path)
        change = None if last is None else self.changes[last][path]
        return None if change is None or change.status == "D" else change.new_blob

    def patch(self, number: int) -> Sequence[bytes]:
        """Return the lines of the patch of a commit against its only parent, without renames."""
        if number not in self._spans or len(self.parents[number]) != 1:
            return []
        start, stop = self._spans[number]
        return os.pread(self._files[0].fileno(), stop - start, start).split(b"\n")[1:]

    def hunks(self, number: int, path: str) -> Sequence[Hunks]:
        """Return the hunks of a file that a commit modified or renamed, against each parent that it has."""
        if len(self.parents[number]) == 1:
            renamed = self.changes[number][path].status.startswith("R")
            return [(self.renames if renamed else self.patches)[number].get(path, ())]
        return self._merged(path)[number]

    def commit(self, number: int) -> Commit:
        """Return a commit as `git blame` prints it."""
        told = self._headers[number]
        subject = next((line for line in told.message.split("\n") if line.strip()), f"({self.names[number]})")
        headers = [f"author {told.author}", f"author-mail <{told.author_mail}>", f"author-time {told.author_time}"]
        headers += [f"author-tz {told.author_date.rpartition(' ')[2]}", f"committer {told.committer}"]
        headers += [f"committer-mail <{told.committer_mail}>", f"committer-time {told.committer_time}"]
        headers += [f"committer-tz {told.committer_date.rpartition(' ')[2]}", f"summary {subject}"]
        headers += [] if self.parents[number] else ["boundary"]
        moments = int(told.author_time), int(told.committer_time)
        return Commit(told.author, *moments, tuple(headers), self.names[number] in self._cut)

    def _read(self, output: bytes) -> None:
        fields = iter(output.split(b"\0"))
        for field in fields:
            if field.startswith(_MARK):
                name, parents, *headers = os.fsdecode(field[1:]).split("\x1f", 10)
                self.numbers[name] = len(self.names)
                self.names.append(name)
                self.parents.append([self.numbers[parent] for parent in parents.split()])
                self._headers.append(_Headers(*headers))
                self.changes.append({})
            elif field:
                self._note(field.lstrip(b"\n"), fields)

    def _note(self, heading: bytes, fields: Iterator[bytes]) -> None:
        old_mode, new_mode, old_blob, new_blob, status = heading[1:].decode().split(" ")
        old = new = os.fsdecode(next(fields))
        if status.startswith("R"):
            new = os.fsdecode(next(fields))
            self.changes[-1][old] = Change("D", old, old_blob, "")
        if new_mode == _SUBMODULE:
            status = "D"  # git blames no submodule
        if old_mode != _SUBMODULE or status != "D":
            self.changes[-1][new] = Change(status, old, old_blob, new_blob)

    def _chains(self) -> None:
        """Part the commits into lines of first parents, so that the main line is one."""
        self._chain = [-1] * len(self.names)
        self._before: list[int | None] = []
        lengths: list[int] = []
        for tip in reversed(range(len(self.names))):
            number: int | None = tip
            if self._chain[tip] < 0:
                lengths.append(0)
                while number is not None and self._chain[number] < 0:
                    self._chain[number] = len(self._before)
                    lengths[-1] += 1
                    number = self.parents[number][0] if self.parents[number] else None
                self._before.append(number)
        seen = [0] * len(lengths)
        self._at: list[int] = []
        for chain in self._chain:
            self._at.append(seen[chain])
            seen[chain] += 1

    def _index(self) -> None:
        for number, changes in enumerate(self.changes):
            chain, at = self._chain[number], self._at[number]
            for path in changes:
                places, numbers = self._by_path.setdefault(path, {}).setdefault(chain, ([], []))
                places.append(at)
                numbers.append(number)

    def _merges(self, path: str) -> dict[int, Sequence[Hunks]]:
        """Ask git how a file differs from each parent in all merges that took it from none."""
        merges = [
            (number, parent)
            for numbers in self._by_path[path].values()
            for number in numbers[1]
            if len(self.parents[number]) > 1 and self.is_own(number, path)
            for parent in self.parents[number]
        ]
        asked = "".join(f"{self.names[number]} {self.names[parent]}\nend\n" for number, parent in merges)
        flags = ("--literal-pathspecs", "diff-tree", "--stdin", "-r", "--no-commit-id", "--no-renames", *PATCH, "--")
        told = git_answer(self._repository, *flags, path, stdin=asked.encode())
        found: dict[int, list[Hunks]] = defaultdict(list)
        for (number, _), patch in zip(merges, _END.split(told)[:-1], strict=True):
            patched = dict[str, Hunks]()
            self._read_patches(io.BytesIO(patch), [patched], {})
            found[number].append(patched.get(path, ()))
        return dict(found)

    def is_own(self, number: int, path: str) -> bool:
        """Return whether a commit made a file out of what all its parents had, and took it from none."""
        blobs = {self.blob(parent, path) for parent in self.parents[number]}
        return None not in blobs and self.changes[number][path].new_blob not in blobs

    def _read_patches(self, file: IO[bytes], into: list[dict[str, Hunks]], spans: dict[int, tuple[int, int]]) -> None:
        patched, hunks, path = into[0] if into else {}, list[Hunk](), ""
        starts: list[tuple[int, int]] = []
        for offset, found in _tokens(file):
            old, olds, new, news, commit, names, renamed, binary = found.groups()
            if old is not None:
                hunks.append((int(old), 1 if olds is None else int(olds), int(new), 1 if news is None else int(news)))
            elif names is not None:
                path, hunks = _named(names), []
                patched[path] = hunks
            elif commit is not None:
                number = self.numbers[commit.decode()]
                patched = into[number]
                starts.append((number, offset + found.start()))
            elif renamed is not None:
                del patched[path]
                path = unquoted(os.fsdecode(renamed))
                patched[path] = hunks
            elif binary is not None:
                patched[path] = None
        for (number, start), (_, end) in pairwise([*starts, (0, file.tell())]):
            spans[number] = start, end


def _start(repository: Repository, file: IO[bytes], *arguments: str) -> "subprocess.Popen[bytes]":
    command, environment = invocation(repository, *arguments)
    return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.DEVNULL)


def _tokens(file: IO[bytes]) -> Iterator[tuple[int, re.Match[bytes]]]:
    """Yield what is not the text of a line, each with where the part of the file begins that it was found in."""
    file.seek(0)
    offset, rest = 0, b""
    while block := file.read(_BLOCK):
        text, feed, after = (rest + block).rpartition(b"\n")
        text, rest = text + feed, after
        yield from ((offset, found) for found in _TOKEN.finditer(text))
        offset += len(text)


def _named(names: bytes) -> str:
    """Return the name in `a/… b/…`, which is the same on both sides."""
    return unquoted(os.fsdecode(names[len(names) // 2 + 1 :])).removeprefix("b/")
