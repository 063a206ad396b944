"""Find the repository, say where in it things are, and ask git about it at hook speed.

A ledger belongs to one worktree. Stored paths are relative to its root, with ``/``, in the bytes of the file
system; a path that is not UTF-8 is stored the way git prints it (in double quotes, octal escapes).

HEAD is read by hand, and a git process is started without `subprocess`. What is asked never takes git's optional locks,
so an agent's own git command is never in the way of ours.
"""

import contextlib
import os
import stat
import sys
from collections.abc import Iterator
from typing import NamedTuple

from linetrail.ledger.agents import WORKTREES
from linetrail.ledger.errors import NoLedgerError, NotARepositoryError, UnsafeFolderError

FOLDER = ".orchestration"
# What hooks remember, one folder below `state` for each kind.
STATES = (
    *("files", "locks", "deliveries", "calls", "open", "sessions", "selection"),
    *("judged", "seen", "turns", "breaker", "approvals", "unfinished"),
)
# Where hooks keep what they have taken on.
UNFINISHED = os.path.join("state", "unfinished")
_OF_AGENTS = tuple(os.path.join(*folder.split("/"), "") for folder in WORKTREES)
# The folders in it that hooks write into, and what only its owner may turn into something else.
_OURS = (
    "",
    "segments",
    "objects",
    "cache",
    "spool",
    "quarantine",
    "state",
    *(os.path.join("state", name) for name in STATES),
)
# A reftable repository keeps this in HEAD for tools that read it by hand.
_REFTABLE = "refs/heads/.invalid"
# What would lead git to another repository, or to objects and programs that are not this repository's.
_FOREIGN = {
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE"),
    *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE"),
    *("GIT_EXTERNAL_DIFF", "GIT_ATTR_SOURCE", "GIT_LITERAL_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_GLOB_PATHSPECS"),
}
_OWN = {
    "LC_ALL": "C",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_PAGER": "cat",
}
_SETTINGS = (
    *("-c", "core.quotepath=off", "-c", "core.fsmonitor=false"),
    *("-c", "advice.graftFileDeprecated=false"),  # our own empty file of grafts is no reason to tell a person of them
)
# What a person has git run when an index or a ref changes is not for those that we make to ask something.
NO_HOOKS = ("-c", f"core.hooksPath={os.devnull}")


class Repository(NamedTuple):
    """One worktree. `git_dir` is this worktree's own, `common_dir` the one that all worktrees share."""

    root: str
    git_dir: str | None
    common_dir: str | None

    @property
    def folder(self) -> str:
        """Where the ledger of this worktree lives."""
        return os.path.join(self.root, FOLDER)

    def has_ledger(self) -> bool:
        """Return whether linetrail was set up here, or in the main worktree that this one was made from."""
        main = self.main_folder()
        return os.path.isdir(self.folder) or (main is not None and os.path.isdir(main))

    def main_folder(self) -> str | None:
        """Return where the ledger of the main worktree lives; None in the main worktree itself."""
        main = self.main()
        return main and main.folder

    def main(self) -> "Repository | None":
        """Return the main worktree that this one was made from; None in the main worktree itself."""
        if self.common_dir is None or self.common_dir == self.git_dir:
            return None
        return Repository(os.path.dirname(self.common_dir), self.common_dir, self.common_dir)

    @property
    def is_of_agent(self) -> bool:
        """Whether an agent made this worktree, for one of its sessions."""
        return is_in_agent_worktree(self.root)

    def relative(self, path: str) -> str | None:
        """Return the stored form of an absolute path, symbolic links resolved; None when it lies outside."""
        real = os.path.realpath(path)
        if real != self.root and not real.startswith(self.root.rstrip(os.sep) + os.sep):
            return None
        return stored_path(os.path.relpath(real, self.root).replace(os.sep, "/"))

    def from_windows(self, cwd: str | None, path: str) -> str | None:
        """Return a path of Windows relative to the agent's directory, where a payload comes from another system.

        None: it is no such path, or this is that system. Empty: it lies elsewhere.
        """
        start, path = native(cwd or ""), native(path)
        if os.sep != "/" or not (_is_on_drive(path) or (_is_on_drive(start) and "\\" in path)):
            return None
        if not _is_on_drive(path):
            if path.startswith(("/", "\\")):
                return ""
            path = f"{start}/{path}"
        folder, file = (
            [part for part in name.replace("/", "\\").split("\\") if part not in ("", ".")] for name in (start, path)
        )
        above = [part.lower() for part in folder] == [part.lower() for part in file[: len(folder)]]
        return "/".join(file[len(folder) :]) if folder and above and ".." not in file else ""

    def absolute(self, stored: str) -> str:
        """Return the path in the file system for a stored path."""
        return os.path.join(self.root, file_path(stored))


class Vcs(NamedTuple):
    """Where the repository stood: `revision` is HEAD, so the parent of the commit that will hold the change."""

    type: str
    revision: str | None
    branch: str | None
    dirty: bool | None = None


def is_in_agent_worktree(path: str) -> bool:
    r"""Return whether a path lies where agents make worktrees for sessions of their own.

    >>> is_in_agent_worktree("/project/.claude/worktrees/one/src/a.py"), is_in_agent_worktree("/project/src/a.py")
    (True, False)
    """
    return any(os.path.join(os.sep, folder) in path for folder in _OF_AGENTS)


def native(path: str) -> str:
    """Take off the slash that editors put before a drive.

    >>> native("/c:/project"), native("/project")
    ('c:/project', '/project')
    """
    return path[1:] if path[:1] == "/" and _is_on_drive(path[1:]) else path


def _is_on_drive(path: str) -> bool:
    return path[1:3] in (":\\", ":/")


def find(start: str) -> Repository:
    """Return the repository that holds this directory: the nearest `.git` above, else the nearest ledger."""
    found = holding(start)
    if found is None:
        raise _none(os.path.realpath(start))
    return found


def holding(start: str) -> Repository | None:
    """Return the repository that holds this directory, None where none does, or a bare one."""
    fallback = None
    for at in _upwards(os.path.realpath(start)):
        git_dir = _git_dir(os.path.join(at, ".git"))
        if git_dir is not None:
            return Repository(at, git_dir, _common_dir(git_dir))
        if _is_bare(at):
            return None
        if fallback is None and os.path.isdir(os.path.join(at, FOLDER)):
            fallback = Repository(at, None, None)
    return fallback


def _upwards(folder: str) -> Iterator[str]:
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _none(real: str) -> NotARepositoryError:
    import shlex  # only where something failed

    bare = next(filter(_is_bare, _upwards(real)), None)
    if bare is None:
        return NotARepositoryError(f"no git repository at {real} or above")
    clone = bare.removesuffix(".git").rstrip(os.sep + ".")
    clone = shlex.quote(f"{bare}-clone" if clone == bare else clone)
    return NotARepositoryError(
        f"{bare} is a bare repository: it has no files, and a ledger lies beside files",
        f"git clone {shlex.quote(bare)} {clone} && cd {clone}",
    )


def _is_bare(folder: str) -> bool:
    return f"{os.sep}.git" not in folder and all(
        os.path.exists(os.path.join(folder, name)) for name in ("HEAD", "objects", "refs")
    )


def is_waiting(repository: Repository) -> bool:
    """Return whether a hook is at work, or left something behind."""
    try:
        return bool(os.listdir(os.path.join(repository.folder, UNFINISHED)))
    except OSError:
        return False


def is_linked(repository: Repository) -> bool:
    """Return whether git itself knows this folder as a linked worktree: anybody can make a file that says so."""
    if repository.git_dir is None or repository.git_dir == repository.common_dir:
        return False
    try:
        with open(os.path.join(repository.git_dir, "gitdir"), "rb") as file:
            told = os.fsdecode(file.read(4096).strip())
    except OSError:
        return False
    return os.path.realpath(os.path.join(repository.git_dir, told)) == os.path.join(repository.root, ".git")


def require_ledger(repository: Repository) -> Repository:
    """Return the repository if it has a ledger, and one that nobody else can lead astray."""
    if not repository.has_ledger():
        raise NoLedgerError(f"no ledger at {repository.folder}")
    return require_own(repository)


def require_own(repository: Repository) -> Repository:
    """Return the repository if nothing is written elsewhere through its folder: git checks links out, too.

    The folder belongs to us, to root, or to whoever the worktree belongs to, as in a container.
    """
    for name in _OURS:
        path = os.path.join(repository.folder, name).rstrip(os.sep)
        try:
            about = os.lstat(path)
        except OSError:
            continue
        if stat.S_ISLNK(about.st_mode):
            raise UnsafeFolderError(f"{path} is a symbolic link to {os.readlink(path)}")
        if not name and sys.platform != "win32":
            owners = (0, os.geteuid(), os.lstat(repository.root).st_uid)
            if about.st_uid not in owners:
                raise UnsafeFolderError(f"{path} belongs to user {about.st_uid}, the worktree around it does not")
    return repository


def stored_path(path: str) -> str:
    r"""Return a path as text that JSON can hold.

    >>> stored_path("caf\udce9.py")
    '"caf\\351.py"'
    """
    raw = os.fsencode(path)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        pass
    else:
        if not text.startswith('"'):
            return text
    return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:03o}" for b in raw) + '"'


def file_path(stored: str) -> str:
    r"""Undo `stored_path`.

    >>> file_path('"caf\\351.py"')
    'caf\udce9.py'
    """
    if not (stored.startswith('"') and stored.endswith('"') and len(stored) > 1):
        return os.fsdecode(stored.encode())
    raw = bytearray()
    at, text = 0, stored[1:-1]
    while at < len(text):
        if text[at] == "\\":
            raw.append(int(text[at + 1 : at + 4], 8))
            at += 4
        else:
            raw.append(ord(text[at]))
            at += 1
    return os.fsdecode(bytes(raw))


def _git_dir(dot_git: str) -> str | None:
    """Follow the `.git` file of a worktree or submodule to its directory."""
    if os.path.isdir(dot_git):
        return dot_git if os.path.exists(os.path.join(dot_git, "HEAD")) else None
    try:
        with open(dot_git, "rb") as file:
            text = file.read(4096)
    except OSError:
        return None
    if not text.startswith(b"gitdir:"):
        return None
    target = os.fsdecode(text[7:].strip())
    return os.path.realpath(os.path.join(os.path.dirname(dot_git), target))


def _common_dir(git_dir: str) -> str:
    try:
        with open(os.path.join(git_dir, "commondir"), "rb") as file:
            target = os.fsdecode(file.read(4096).strip())
    except OSError:
        return git_dir
    return os.path.realpath(os.path.join(git_dir, target))


# What git knows


def head(repository: Repository, *, dirty: bool | None = None) -> Vcs | None:
    """Return where HEAD is: revision None before the first commit, branch None when detached."""
    if repository.git_dir is None:
        return None
    if repository.common_dir is None:
        return _ask_head(repository, dirty=dirty)
    text = _read(os.path.join(repository.git_dir, "HEAD"))
    if text is None:
        return None
    if not text.startswith("ref: "):
        return Vcs("git", object_id(text), None, dirty)
    ref = text[5:]
    if ref == _REFTABLE:
        return _ask_head(repository, dirty=dirty)
    branch = stored_path(ref.removeprefix("refs/heads/"))
    return Vcs("git", object_id(_resolve(repository.common_dir, ref)), branch, dirty)


def stash(repository: Repository) -> str | None:
    """Return the commit that holds what was stashed last."""
    return object_id(_resolve(repository.common_dir, "refs/stash")) if repository.common_dir else None


def object_id(text: object) -> str | None:
    """Return a text that can be the name of an object, else None: what a file holds may be an option or a secret."""
    fits = isinstance(text, str) and len(text) in (40, 64) and not text.strip("0123456789abcdef")
    return text if isinstance(text, str) and fits else None


def git(repository: Repository, *arguments: str, stdin: bytes = b"") -> bytes | None:
    """Run git in the worktree and return what it printed; None when it fails or is not installed."""
    command, environment = invocation(repository, *arguments)
    if sys.platform == "win32":
        return _run_portably(command, environment, stdin)
    return _spawn(command, environment, stdin)


def invocation(repository: Repository, *arguments: str) -> tuple[list[str], dict[str, str]]:
    """Return the command line and the environment that ask this repository, whatever the caller's own git is set to.

    History is as its commits say: no replacement and no graft changes it. No program that settings name is run. A
    partial clone is asked for what it has: nothing is fetched.
    """
    command = ["git", "--no-optional-locks", *_SETTINGS, "-C", repository.root, *arguments]
    return command, own_environment() | _OWN


def own_environment() -> dict[str, str]:
    """Return the environment without what would lead git to another repository than the one it is asked about."""
    return {key: value for key, value in os.environ.items() if key not in _FOREIGN}


def _ask_head(repository: Repository, *, dirty: bool | None) -> Vcs | None:
    revision = git(repository, "rev-parse", "--verify", "--quiet", "HEAD")
    branch = git(repository, "symbolic-ref", "--quiet", "--short", "HEAD")
    return Vcs(
        "git", revision.decode().strip() if revision else None, branch.decode().strip() if branch else None, dirty
    )


def _resolve(common_dir: str, ref: str) -> str | None:
    loose = _read(os.path.join(common_dir, ref))
    if loose is not None:
        return loose
    wanted = b" " + os.fsencode(ref) + b"\n"
    try:
        with open(os.path.join(common_dir, "packed-refs"), "rb") as file:
            return next((line[: -len(wanted)].decode() for line in file if line.endswith(wanted)), None)
    except OSError:
        return None


def _read(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.read(4096).strip())
    except OSError:
        return None


def _spawn(command: list[str], environment: dict[str, str], stdin: bytes) -> bytes | None:
    """Start a process and collect its output; stdin must fit a pipe's buffer (64 KB on Linux)."""
    in_read, in_write = os.pipe()
    out_read, out_write = os.pipe()
    actions = [
        (os.POSIX_SPAWN_DUP2, in_read, 0),
        (os.POSIX_SPAWN_DUP2, out_write, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    try:
        pid = os.posix_spawnp(command[0], command, environment, file_actions=actions)
    except OSError:
        os.close(in_write)
        os.close(out_read)
        return None
    finally:
        os.close(in_read)
        os.close(out_write)
    try:
        with contextlib.suppress(BrokenPipeError):  # git gave up before it read: its status says so
            os.write(in_write, stdin)
        os.close(in_write)
        chunks = iter(lambda: os.read(out_read, 1 << 16), b"")
        output = b"".join(chunks)
    except BaseException:
        os.kill(pid, 9)
        raise
    finally:
        os.close(out_read)
        _, status = os.waitpid(pid, 0)
    return output if os.waitstatus_to_exitcode(status) == 0 else None


def _run_portably(command: list[str], environment: dict[str, str], stdin: bytes) -> bytes | None:
    import subprocess  # 12 ms that only platforms without posix_spawn pay

    try:
        done = subprocess.run(command, env=environment, input=stdin, capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
