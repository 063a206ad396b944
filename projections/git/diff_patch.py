"""Ask git in which lines two contents differ: `git diff -w -M`, whatever a person's own git is set to.

White space is no difference. Untracked files that nobody ignores are part of the work tree: an agent's new file is one
until it is added. git sees them through an index made for this one question; nothing in the repository changes.
"""

import os
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger.repository import FOLDER, Repository, file_path, stored_path
from linetrail.projections.git import plumbing
from linetrail.projections.git.diff_sides import Sides
from linetrail.projections.git.history import unquoted

_PLAIN = (
    *(f"-O{os.devnull}", "--ignore-all-space", "--find-renames", "-l1000", "--diff-algorithm=myers"),
    *("--unified=0", "--inter-hunk-context=0", "--indent-heuristic", "--raw", "--patch", "--no-abbrev", "--full-index"),
    *("--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/"),
    *("--submodule=short", "--ignore-submodules=dirty"),
)
_COMMIT = re.compile(rb"^([0-9a-f]{40,64})\n\n", re.MULTILINE)
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NOWHERE = "0" * 40
_LINK, _SUBMODULE = "120000", "160000"


class Hunk(NamedTuple):
    """Lines that were replaced; both sides counted from 1, an empty one names the line before it, as git does."""

    old_start: int
    old: Sequence[bytes]
    new_start: int
    new: Sequence[bytes]


class FileDiff(NamedTuple):
    """How one file differs. `old` and `new` are its paths, None on the side where it is not.

    A blob is None where git has none: on a disk, or nowhere. `left_out` says why lines are not told: `binary`,
    `symlink`, `submodule`.
    """

    old: str | None
    new: str | None
    old_blob: str | None
    new_blob: str | None
    hunks: Sequence[Hunk]
    left_out: str | None

    @property
    def path(self) -> str:
        """The name it has, or had where it is gone."""
        return self.new or self.old or ""


class _Section(NamedTuple):
    """What the patch says of one file, or of one half of it where its type changed."""

    names: tuple[bytes, bytes]
    mode: str | None
    binary: bool
    hunks: list[Hunk]


def file_diffs(repository: Repository, sides: Sides, paths: Sequence[str] = ()) -> list[FileDiff]:
    """Return the files that differ, in the order of git; with `paths`, those in or below one of these stored paths.

    A rename is one whatever paths are asked for. The ledger's own folder is left out unless a path names it.
    """
    wanted = [sides.before or _empty_tree(repository), *([sides.after] if sides.after else [])]
    with tempfile.TemporaryDirectory(prefix="linetrail-") as folder:
        around = {} if sides.after else _with_new_files(repository, folder)
        output = plumbing.answer(repository, "diff", *_PLAIN, *wanted, "--", around=around)
    return [found for found in _parse(output) if _is_asked(found, paths)]


def commit_diffs(
    repository: Repository, commits: Sequence[str], names: Iterable[str]
) -> Iterator[tuple[str, FileDiff]]:
    """Yield what each of these commits, in their order, changed in the files of these stored paths.

    A merge is compared with each of its parents; a commit without parents changed nothing.
    """
    asked = ("--literal-pathspecs", "diff-tree", "--stdin", "-m", "-r", "--format=%H", *_PLAIN, "--")
    stdin = "".join(f"{commit}\n" for commit in commits).encode()
    _, *told = _COMMIT.split(plumbing.answer(repository, *asked, *sorted(map(file_path, names)), stdin=stdin))
    for revision, output in zip(told[::2], told[1::2], strict=True):
        for found in _parse(output):
            yield revision.decode(), found


def is_below(path: str, folders: Sequence[str]) -> bool:
    """Return whether a stored path is one of these or below one of them; without any, whether people work on it."""
    if not folders:
        return not is_below(path, [FOLDER])
    return any(folder in {".", path} or path.startswith(f"{folder}/") for folder in folders)


def stored(name: bytes) -> str:
    """Return a path of git's as it is stored."""
    return stored_path(os.fsdecode(name))


def _is_asked(found: FileDiff, paths: Sequence[str]) -> bool:
    return any(name is not None and is_below(name, paths) for name in (found.old, found.new))


def _empty_tree(repository: Repository) -> str:
    return plumbing.answer(repository, "hash-object", "-t", "tree", "--stdin").decode().strip()


def _with_new_files(repository: Repository, folder: str) -> Mapping[str, str]:
    """Return the environment in which git sees untracked files as added; what it has to write goes into the folder."""
    listed = plumbing.answer(repository, "ls-files", "--others", "--exclude-standard", "-z").split(b"\0")
    names = [name for name in listed if name and not name.endswith(b"/")]  # a folder is a repository of its own
    if not names:
        return {}
    index, objects = os.path.join(folder, "index"), os.path.join(folder, "objects")
    os.mkdir(objects)
    ours = os.path.join(repository.git_dir or "", "index")
    if os.path.exists(ours):
        shutil.copy2(ours, index)  # by its time git knows which files may have changed since, unseen by their own
    around = {
        "GIT_INDEX_FILE": index,
        "GIT_OBJECT_DIRECTORY": objects,
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(os.path.join(repository.common_dir or "", "objects")),
    }
    given = ("--pathspec-from-file=-", "--pathspec-file-nul")
    add = ("--literal-pathspecs", "add", "--intent-to-add", *given)
    plumbing.answer(repository, *add, stdin=b"\0".join(names), around=around)
    return around


def _quoted(folder: str) -> str:
    """Keep a colon in the name of a folder from being taken for the end of it."""
    escaped = folder.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _parse(output: bytes) -> Iterator[FileDiff]:
    """Read the list of files, then the patch, which is silent about files that differ in white space alone."""
    lines = output.split(b"\n")
    end = next((at for at, line in enumerate(lines) if not line.startswith(b":")), 0)
    sections: dict[tuple[bytes, bytes], list[_Section]] = defaultdict(list)
    for section in _sections(lines, end):
        sections[section.names].append(section)
    for line in lines[:end]:
        about, *names = line.split(b"\t")
        _, _, old_blob, new_blob, status = about.decode().split(" ")
        old, new = _unquoted(names[0]), _unquoted(names[-1])
        told = sections.get((old, new), [])
        yield FileDiff(
            old=None if status == "A" else stored(old),
            new=None if status == "D" else stored(new),
            old_blob=None if old_blob.startswith(_NOWHERE) else old_blob,
            new_blob=None if new_blob.startswith(_NOWHERE) else new_blob,
            hunks=[hunk for section in told if _left_out(section) is None for hunk in section.hunks],
            left_out=next((reason for section in told if (reason := _left_out(section))), None),
        )


def _sections(lines: Sequence[bytes], at: int) -> Iterator[_Section]:
    while at < len(lines):
        if not lines[at].startswith(b"diff --git "):
            at += 1
            continue
        names, mode, binary, hunks = _names(lines[at]), None, False, []
        at += 1
        while at < len(lines) and not lines[at].startswith(b"diff --git "):
            line = lines[at]
            at += 1
            if line.startswith(b"@@ "):
                hunk, at = _hunk(line, lines, at)
                hunks.append(hunk)
            elif line.startswith((b"deleted file mode ", b"new file mode ")) or (
                line.startswith(b"index ") and line.count(b" ") == 2
            ):
                mode = line[-6:].decode()
            elif line.startswith(b"rename from "):
                names = (_unquoted(line[12:]), names[1])
            elif line.startswith(b"rename to "):
                names = (names[0], _unquoted(line[10:]))
            elif line.startswith((b"Binary files ", b"GIT binary patch")):
                binary = True
        yield _Section(names, mode, binary, hunks)


def _hunk(heading: bytes, lines: Sequence[bytes], at: int) -> tuple[Hunk, int]:
    """Read one hunk, whose heading counts its lines; a line that begins with a backslash is git talking."""
    found = _HUNK.match(heading)
    if found is None:
        raise ValueError(f"no hunk: {heading!r}")
    old_start, old_lines, new_start, new_lines = (1 if number is None else int(number) for number in found.groups())
    old: list[bytes] = []
    new: list[bytes] = []
    while at < len(lines) and (len(old) < old_lines or len(new) < new_lines):
        line = lines[at]
        at += 1
        if not line.startswith(b"\\"):
            (old if line.startswith(b"-") else new).append(line[1:].removesuffix(b"\r"))
    return Hunk(old_start, old, new_start, new), at


def _names(heading: bytes) -> tuple[bytes, bytes]:
    """Return both names of `diff --git a/… b/…`; they are the same wherever no other line tells them."""
    names = heading[len(b"diff --git ") :]
    one, other = names[: len(names) // 2], names[len(names) // 2 + 1 :]
    return _unquoted(one)[2:], _unquoted(other)[2:]


def _unquoted(name: bytes) -> bytes:
    return os.fsencode(unquoted(os.fsdecode(name)))


def _left_out(section: _Section) -> str | None:
    if section.binary:
        return "binary"
    return {_LINK: "symlink", _SUBMODULE: "submodule"}.get(section.mode or "")
