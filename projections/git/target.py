"""Say which content is meant by a path, now or at a revision, and refuse what has no lines to speak of."""

import os
import stat
from typing import NamedTuple

from linetrail.ledger.errors import LinetrailError, NotARepositoryError
from linetrail.ledger.files import is_binary, open_file
from linetrail.ledger.observe.mutation import MAX_BYTES
from linetrail.ledger.repository import FOLDER, Repository, file_path, find, git, head, stored_path
from linetrail.projections.git.shell import command, operand


class TargetError(LinetrailError):
    """There is no such file, or it has no lines."""


class Target(NamedTuple):
    """A content to explain. `revision` is the commit that holds it, None for the work tree on top of `head`."""

    path: str
    content: bytes
    revision: str | None
    head: str | None


def locate(repository: Repository, directory: str, path: str) -> str:
    """Return the stored form of a path as a person typed it; folders that are links are followed, files are not."""
    if not path:
        raise TargetError("an empty path names no file; write . for the folder you are in")
    absolute = os.path.join(os.path.realpath(directory), path)
    folder, name = os.path.split(os.path.normpath(absolute))
    real = os.path.join(os.path.realpath(folder), name)
    relative = os.path.relpath(real, repository.root)
    if relative == os.pardir or relative.startswith(os.pardir + os.sep):
        raise TargetError(f"{path} is outside the repository at {repository.root}")
    return stored_path(relative.replace(os.sep, "/"))


def find_target(repository: Repository, path: str, revision: str | None) -> Target:
    """Return what is meant by a path: at a revision where one is given, else in the work tree."""
    return in_worktree(repository, path) if revision is None else at_revision(repository, path, revision)


def in_worktree(repository: Repository, path: str) -> Target:
    """Read a file as it is on disk."""
    absolute = repository.absolute(path)
    try:
        mode = os.lstat(absolute).st_mode
    except OSError:
        raise TargetError(f"no file {path} in {repository.root}", _where_it_was(repository, path)) from None
    if stat.S_ISLNK(mode):
        raise TargetError(f"{path} is a symbolic link to {os.readlink(absolute)}", "name the file it leads to")
    if stat.S_ISDIR(mode):
        raise _folder(repository, path)
    if not stat.S_ISREG(mode):
        raise TargetError(f"{path} is not a regular file")
    inner = find(os.path.dirname(absolute)).root
    if inner != repository.root and not path.startswith(f"{FOLDER}/"):
        raise TargetError(f"{path} belongs to another repository, {inner}", _within(inner))
    try:
        with open(absolute, "rb") as file:
            content = file.read()
    except OSError as error:
        raise TargetError(f"cannot read {path}: {error.strerror}") from None
    now = head(repository)
    return Target(path, _text(path, content), None, now.revision if now else None)


def at_revision(repository: Repository, path: str, revision: str) -> Target:
    """Read a file as a commit holds it, found by the name it has there or by the one it has now."""
    commit = resolve(repository, revision)
    listed = entry(repository, commit, path)
    if not listed and (former := _former_name(repository, commit, path)) != path:
        path, listed = former, entry(repository, commit, former)
    if not listed:
        raise TargetError(
            f"no file {path} in {revision}", _command(repository, "git", "log", "--follow", "--", path=path)
        )
    mode, _, rest = listed.partition(b"\0")[0].partition(b" ")
    if mode == b"120000":
        raise TargetError(f"{path} is a symbolic link in {revision}", "name the file it leads to")
    if mode == b"160000":
        raise TargetError(f"{path} is a submodule in {revision}", _within(file_path(path)))
    if mode == b"040000":
        raise TargetError(f"{path} is a folder in {revision}", "name a file in it")
    content = git(repository, "cat-file", "blob", rest.split(b"\t")[0].split(b" ")[1].decode())
    if content is None:
        raise TargetError(f"the content of {path} in {revision} is not in this clone", "git fetch")
    return Target(path, _text(path, content), commit, commit)


def on_disk(repository: Repository, path: str) -> bytes | None:
    """Return what another file of the work tree holds; None where there is none that can be read."""
    try:
        with open_file(repository.absolute(path)) as file:
            return file.read(MAX_BYTES)
    except OSError:
        return None


def resolve(repository: Repository, revision: str) -> str:
    """Return the commit that a person means."""
    if repository.git_dir is None:
        raise TargetError(f"{repository.root} is not a git repository, so it has no revision {revision}", "git init")
    found = git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if not found:
        raise TargetError(f"no revision {revision} in {repository.root}", "git log --oneline --all")
    return found.decode().strip()


def entry(repository: Repository, commit: str, path: str) -> bytes:
    """Return what a commit has at a path, as `git ls-tree` prints it; nothing where there is nothing."""
    return git(repository, "--literal-pathspecs", "ls-tree", "-z", commit, "--", file_path(path)) or b""


def is_in_head(repository: Repository, path: str) -> bool:
    """Return whether HEAD has a file there."""
    now = head(repository)
    return now is not None and now.revision is not None and entry(repository, now.revision, path).startswith(b"100")


def changed_by(repository: Repository, path: str, limit: int) -> list[dict[str, str]]:
    """Return the latest commits that changed a file, under whatever name, as far as HEAD comes from them."""
    told = git(
        *(
            repository,
            "--literal-pathspecs",
            "log",
            "--follow",
            "-M",
            f"--max-count={limit}",
            "--format=%H%x00%cI%x00%an%x00%s",
        ),
        *("--", file_path(path)),
    )
    names = ("vcs_revision", "committed_at", "author", "subject")
    lines = (told or b"").decode(errors="replace").split("\n")
    return [dict(zip(names, line.split("\0"), strict=True)) for line in lines if line.count("\0") == len(names) - 1]


def _former_name(repository: Repository, commit: str, path: str) -> str:
    """Follow git's renames from HEAD back to a commit."""
    name = os.fsencode(file_path(path))
    span = f"{commit}..HEAD"
    log = git(repository, "log", "--follow", "--format=", "--name-status", "-z", "-M", span, "--", os.fsdecode(name))
    words = (log or b"").split(b"\0")
    for at, word in enumerate(words[:-2]):
        if word.startswith(b"R") and words[at + 2] == name:
            name = words[at + 1]
    return stored_path(os.fsdecode(name))


def _where_it_was(repository: Repository, path: str) -> str | None:
    """Name the command that shows a file that is gone: as HEAD has it, else the history in which it may be."""
    now = head(repository)
    if now is None or now.revision is None:
        return None
    if is_in_head(repository, path):
        return _command(repository, "linetrail", "blame", "--rev", "HEAD", path=path)
    return _command(repository, "git", "log", "--all", "--", path=path)


def _command(repository: Repository, program: str, *words: str, path: str) -> str:
    """Spell a command about a file as it works where the user stands."""
    here = os.getcwd()
    if _is_in(repository, here):
        return command([program, *words, operand(os.path.relpath(repository.absolute(path), here))])
    return command([program, "-C", repository.root, *words, operand(file_path(path))])


def _is_in(repository: Repository, folder: str) -> bool:
    try:
        return find(folder).root == repository.root
    except NotARepositoryError:
        return False


def _folder(repository: Repository, path: str) -> TargetError:
    if path != "." and os.path.exists(os.path.join(repository.absolute(path), ".git")):
        return TargetError(f"{path} is a submodule or another repository", _within(file_path(path)))
    return TargetError(f"{path} is a folder", "name a file in it")


def _within(folder: str) -> str:
    return f"{command(['linetrail', '-C', operand(folder)])} blame …"


def _text(path: str, content: bytes) -> bytes:
    if is_binary(content):
        raise TargetError(
            f"{path} is binary: it has no lines to explain",
            command(["linetrail", "log", "--path", operand(file_path(path))]),
        )
    return content
