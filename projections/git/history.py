"""Ask git what it knows of a file: the commit behind each line, who made it, and earlier contents.

Two processes answer for a whole file. Lines are followed across renames and across changes of white space, which
here are nobody's authorship; so git is always asked as `git blame -w`. What was moved, `moved` follows.
"""

import contextlib
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import IO, TYPE_CHECKING, NamedTuple

from linetrail.ledger.errors import GitError
from linetrail.ledger.repository import Repository, file_path, git, invocation
from linetrail.projections.git.target import Target

if TYPE_CHECKING:
    import subprocess

    from linetrail.projections.git.signs import Signs

_UNCOMMITTED = b"0" * 40
# What a person may have set for their own `git blame` and what would change its answer.
_PLAIN = ("blame.ignoreRevsFile=", "blame.markIgnoredLines=false", "blame.markUnblamableLines=false")


# A patch without context, as `git blame -w` compares.
PATCH = (
    *("-p", "-U0", "-w", "--inter-hunk-context=0", "--diff-algorithm=default", "--full-index"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative"),
    "--ignore-submodules=all",
)
# Objects up to so long are kept at hand, so many bytes of them.
SHORT_BYTES, KEPT_BYTES = 1 << 16, 1 << 23
_PARENT = re.compile(rb"^parent ([0-9a-f]+)$", re.MULTILINE)


class GitLine(NamedTuple):
    """What `git blame` says of one line. `revision` is None while the line is not committed."""

    revision: str | None
    original_line: int
    filename: str
    previous: tuple[str, str] | None


class Commit(NamedTuple):
    """A commit as `git blame` prints it. `cut` says that the clone's history ends here, so it may not be the first."""

    author: str
    author_time: int
    committer_time: int
    headers: tuple[str, ...]
    cut: bool


class Blamed(NamedTuple):
    """The answer of git for a file: one entry for each line, and the commits they name."""

    lines: Sequence[GitLine]
    commits: Mapping[str, Commit]


class Blaming:
    """A `git blame` on its way: start it, do other things, then ask for its answer.

    `flags` are flags of `git blame`; `numbers`, in order, are the lines to ask for, where not all are meant.
    """

    def __init__(
        self,
        repository: Repository,
        target: Target,
        flags: Sequence[str] = (),
        numbers: Sequence[int] | None = None,
    ) -> None:
        self._repository, self._target = repository, target
        self._numbers = range(1, length(target.content) + 1) if numbers is None else numbers
        self._process: subprocess.Popen[bytes] | None = None
        if repository.git_dir is not None and target.head is not None:
            import tempfile  # what is remembered needs no process, so it need not wait for this either

            # a pipe would have git wait for us as soon as it is full
            self._output = tempfile.TemporaryFile()  # noqa: SIM115  `close` closes it
            ranges = [] if numbers is None else [f"-L{first},{last}" for first, last in _runs(numbers)]
            self._process = _start(repository, target, [*flags, *ranges], self._output)

    def answer(self) -> Blamed:
        """Wait for git; a file that git does not know yet has only lines that are not committed."""
        if self._process is not None:
            _, errors = self._process.communicate()
            if self._process.returncode == 0:
                self._output.seek(0)
                return self._fitting(_parse(self._output.read(), cut_commits(self._repository)))
            if self._target.revision is not None or _is_tracked(self._repository, self._target.path):
                raise GitError(f"git blame {self._target.path}: {errors.decode(errors='replace').strip()}")
        return self._not_committed()

    def _fitting(self, blamed: Blamed) -> Blamed:
        """Give git's answer up where a filter made it see other lines than are on disk."""
        return blamed if len(blamed.lines) == len(self._numbers) else self._not_committed()

    def _not_committed(self) -> Blamed:
        path = file_path(self._target.path)
        return Blamed([GitLine(None, at, path, None) for at in self._numbers], {})

    def close(self) -> None:
        """Stop git where nobody waited for its answer."""
        if self._process is not None:
            self._process.kill()
            with self._process, self._output:
                pass


class Objects:
    """Objects that git has, by id or as `<revision>:<path>`; the process behind it starts at the first look-up."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self._process: subprocess.Popen[bytes] | None = None
        self._known: dict[str, bytes] = {}
        self._size = 0

    def read(self, name: str) -> bytes | None:
        """Return an object's content; None where git does not have it. Commits and short files are asked for again."""
        content = self._known.get(name) or self._asked(name)
        if content is not None and name not in self._known and len(content) <= SHORT_BYTES:
            self._size += len(content)
            if self._size > KEPT_BYTES:
                self._known, self._size = {}, len(content)
            self._known[name] = content
        return content

    def _asked(self, name: str) -> bytes | None:
        if self.repository.git_dir is None or "\n" in name:
            return None
        process = self._process = self._process or run(self.repository, "cat-file", "--batch")
        if process.stdin is None or process.stdout is None:
            return None
        ask(process, os.fsencode(name) + b"\n")
        heading = process.stdout.readline().split(b" ")
        if len(heading) != 3 or not heading[2].strip().isdigit():
            return None
        content = process.stdout.read(int(heading[2]))
        process.stdout.read(1)
        return content

    def shows_agent(self, revision: str, recorded_on: Collection[str]) -> bool:
        """Return whether a commit bears the signs of an agent that was not recorded working on the one before it."""
        if not self._signs.of(revision, self.read):
            return False
        return not (recorded_on and any(parent in recorded_on for parent in self.parents(revision)))

    def parents(self, revision: str) -> list[str]:
        """Return the parents of a commit; none where git does not have it."""
        headers = (self.read(revision) or b"").partition(b"\n\n")[0]
        return [parent.decode() for parent in _PARENT.findall(headers)]

    @cached_property
    def _signs(self) -> "Signs":
        from linetrail.projections.git.signs import Signs  # a remembered answer needs none

        return Signs(self.repository)

    def close(self) -> None:
        """Remember the signs of agents, and end the process."""
        if "_signs" in vars(self):
            self._signs.close()
        if self._process is not None:
            self._process.communicate()


def checked_out(content: bytes | None) -> Iterator[bytes]:
    """Yield a content as git stores it, and as it is on a disk where git was told to end lines in CRLF."""
    if content is not None:
        yield content
        if b"\r" not in content:
            yield content.replace(b"\n", b"\r\n")


def ask(process: "subprocess.Popen[bytes]", question: bytes) -> None:
    """Hand a question to a process that answers many; one that is not there any more says why."""
    try:
        if process.stdin is not None:
            process.stdin.write(question)
            process.stdin.flush()
    except BrokenPipeError:
        said = process.stderr.read().decode(errors="replace").strip() if process.stderr else ""
        raise GitError(f"git ended early: {said or 'it does not say why'}") from None


def _start(
    repository: Repository, target: Target, flags: Sequence[str], output: IO[bytes]
) -> "subprocess.Popen[bytes]":
    settings = [word for setting in _PLAIN for word in ("-c", setting)]
    wanted = [target.revision] if target.revision else ["--contents", "-"]
    command = ["blame", "--no-textconv", "-w", "--porcelain", *flags, *wanted, "--", file_path(target.path)]
    process = run(repository, *settings, *command, output=output)
    if process.stdin is not None:
        # git that gave up early closes its end; its own message is the better one
        with contextlib.suppress(BrokenPipeError), process.stdin as content:
            content.write(b"" if target.revision else target.content)
        process.stdin = None
    return process


def run(repository: Repository, *arguments: str, output: IO[bytes] | int | None = None) -> "subprocess.Popen[bytes]":
    """Start git with all its ends in our hands."""
    import subprocess  # what is remembered needs no process

    command, environment = invocation(repository, *arguments)
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(command, env=environment, stdin=pipe, stdout=output or pipe, stderr=pipe)
    except OSError as error:
        raise GitError(f"cannot run git: {error.strerror}") from None


def _parse(output: bytes, cut: frozenset[str]) -> Blamed:
    """Read `git blame --porcelain`: a heading for each line, and what is new about its commit."""
    lines: list[GitLine] = []
    commits: dict[str, Commit] = {}
    places: dict[bytes, tuple[str, tuple[str, str] | None]] = {}
    heading: list[bytes] = []
    headers: list[str] = []
    for raw in output.split(b"\n")[:-1]:
        if not heading:
            heading = raw.split(b" ")
        elif not raw.startswith(b"\t"):
            headers.append(os.fsdecode(raw))
        else:
            sha = heading[0]
            revision = None if sha == _UNCOMMITTED else sha.decode()
            if headers:
                told = dict(header.partition(" ")[::2] for header in headers)
                places[sha] = (unquoted(told["filename"]), _previous(told.get("previous")))
                if revision is not None and revision not in commits:
                    commits[revision] = _commit(told, headers, cut=revision in cut)
            lines.append(GitLine(revision, int(heading[1]), *places[sha]))
            heading, headers = [], []
    return Blamed(lines, commits)


def _commit(told: Mapping[str, str], headers: Sequence[str], *, cut: bool) -> Commit:
    kept = tuple(header for header in headers if not header.startswith(("filename ", "previous ")))
    return Commit(told["author"], int(told["author-time"]), int(told["committer-time"]), kept, cut)


def _previous(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    revision, _, path = text.partition(" ")
    return revision, unquoted(path)


def unquoted(name: str) -> str:
    r"""Undo git's quoting of a file name.

    >>> unquoted('"a\\"b\\tc\\f\\351"')
    'a"b\tc\x0c\udce9'
    """
    if not name.startswith('"'):
        return name
    return os.fsdecode(os.fsencode(name[1:-1]).decode("unicode_escape").encode("latin-1"))


def cut_commits(repository: Repository) -> frozenset[str]:
    """Return the commits whose parents a shallow clone does not have."""
    try:
        with open(os.path.join(repository.common_dir or "", "shallow"), encoding="ascii") as file:
            return frozenset(file.read().split())
    except OSError:
        return frozenset()


def _is_tracked(repository: Repository, path: str) -> bool:
    return bool(git(repository, "--literal-pathspecs", "ls-files", "-z", "--", file_path(path)))


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of each run of consecutive numbers."""
    starts = [at for at, number in enumerate(numbers) if at == 0 or number != numbers[at - 1] + 1]
    ends = [*starts[1:], len(numbers)]
    return ((numbers[start], numbers[end - 1]) for start, end in zip(starts, ends, strict=False))


def length(content: bytes) -> int:
    """Return how many lines git counts in a content."""
    return content.count(b"\n") + (content != b"" and not content.endswith(b"\n"))
