"""Ask git at hook speed: HEAD is read by hand, and a git process is started without `subprocess`.

What is asked never takes git's optional locks, so an agent's own git command is never in the way of ours.
"""

import contextlib
import os
import sys

from linetrail.ledger.event.event import Vcs
from linetrail.ledger.repository import Repository, stored_path

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
