"""What commits did to lines: what they deleted, broke anew and copied, asked of one process each."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from linetrail.ledger.observe import reflow
from linetrail.ledger.repository import Repository
from linetrail.projections.git.history import ask, run, unquoted

if TYPE_CHECKING:
    import subprocess

_PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules")
_PATCH = ("diff-tree", "--stdin", "-r", "-w", "-U0", "--no-renames", "--diff-filter=DMT", *_PLAIN)
# Of a file that changed only its name or was copied, every byte is the same: git compares ids, not contents.
_COPIES = ("diff-tree", "--stdin", "-r", "--name-status", "-C100%", "--find-copies-harder", "--diff-filter=C", *_PLAIN)
_END = b"end\n"
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
# White space, and what a formatter may add or take away where it breaks lines anew.
_LAYOUT = b" \t\r\n\v\f\"'(),;\\#/*-"


class Patch(NamedTuple):
    """What a commit did: hashes of the lines it deleted, without their white space, and the lines it broke anew.

    Those are, by file and number, the numbers of the lines in its parent that they were broken from. `lost` are the
    deleted lines by file and number.
    """

    deleted: frozenset[int]
    broken: Mapping[tuple[str, int], Sequence[int]]
    lost: Mapping[str, Mapping[int, int]]


class Patches:
    """What commits did; nothing where one is a merge or the first, or where objects are missing."""

    def __init__(self, repository: Repository, at_hand: Callable[[str], Sequence[bytes] | None]) -> None:
        self._at_hand = at_hand
        self._patches, self._copies = _Commits(repository, _PATCH), _Commits(repository, _COPIES)
        self._known: dict[str, Patch] = {}
        self._copied: dict[str, dict[str, str]] = {}

    def of(self, revision: str) -> Patch:
        """Return what a commit deleted and broke anew."""
        if revision not in self._known:
            patch = self._at_hand(revision)
            self._known[revision] = _read(list(self._patches.ask(revision)) if patch is None else patch)
        return self._known[revision]

    def copied(self, revision: str) -> Mapping[str, str]:
        """Return the files that a commit made out of others without changing a byte: new name -> old name."""
        if revision not in self._copied:
            rows = [os.fsdecode(line.rstrip(b"\n")).split("\t") for line in self._copies.ask(revision)]
            self._copied[revision] = {unquoted(new): unquoted(old) for _, old, new in filter(_is_copy, rows)}
        return self._copied[revision]

    def close(self) -> None:
        """End the processes."""
        self._patches.close()
        self._copies.close()


class _Commits:
    """One `git diff-tree` that answers for one commit after the other; it starts at the first question."""

    def __init__(self, repository: Repository, arguments: tuple[str, ...]) -> None:
        self._repository, self._arguments = repository, arguments
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, revision: str) -> Iterator[bytes]:
        """Yield the lines of the answer."""
        process = self._process = self._process or run(self._repository, *self._arguments)
        if process.stdin is None or process.stdout is None:
            return
        # git prints what is no name of an object as it is, and then lets go of all it has
        ask(process, revision.encode() + b"\n" + _END)
        for line in process.stdout:
            if line == _END:
                return
            yield line
        self.close()  # an object that this clone lacks was the end of it

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.communicate()
            self._process = None


def _is_copy(row: Sequence[str]) -> bool:
    return len(row) == 3  # besides these there are the names of commits


class _Hunk(NamedTuple):
    old_start: int
    new_start: int
    old: list[bytes]
    new: list[bytes]


def _read(lines: Sequence[bytes]) -> Patch:
    """Read a patch without context."""
    lost: dict[str, dict[int, int]] = {}
    broken: dict[tuple[str, int], list[int]] = {}
    name, gone, at = "", dict[int, int](), 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith(b"--- "):
            gone = lost.setdefault(unquoted(os.fsdecode(line[4:].rstrip(b"\t\n"))).removeprefix("a/"), {})
        elif line.startswith(b"+++ "):
            name = unquoted(os.fsdecode(line[4:].rstrip(b"\t\n"))).removeprefix("b/")
        elif found := _HUNK.match(line):
            hunk, at = _hunk(found, lines, at)
            gone |= zip(count(hunk.old_start), (hash(b"".join(old.split())) for old in hunk.old), strict=False)
            if hunk.new and b"".join(hunk.old).translate(None, _LAYOUT) == b"".join(hunk.new).translate(None, _LAYOUT):
                for old, new in reflow.by_text(hunk.old, hunk.new):
                    broken.setdefault((name, hunk.new_start + new), []).append(hunk.old_start + old)
    return Patch(frozenset(line for gone in lost.values() for line in gone.values()), broken, lost)


def _hunk(heading: re.Match[bytes], lines: Sequence[bytes], at: int) -> tuple[_Hunk, int]:
    """Read one hunk, and where it ends; a line that begins with a backslash is git talking."""
    old_start, old_lines, new_start, new_lines = (int(number or 1) for number in heading.groups())
    sides = []
    for length in (old_lines, new_lines):
        sides.append([line[1:] for line in lines[at : at + length]])
        at += length
        at += at < len(lines) and lines[at].startswith(b"\\")
    return _Hunk(old_start, new_start, *sides), at
