"""Make a repository for a demonstration, in a folder that is new or empty, and nowhere else."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator

from linetrail.ledger.errors import GitError, UsageError

PERSON = {"NAME": "Demo Developer", "EMAIL": "dev@example.com"}


def require_free(folder: str) -> None:
    """Raise unless nothing is in the way of a new repository in this folder."""
    if os.path.lexists(folder) and not (os.path.isdir(folder) and not os.listdir(folder)):
        raise UsageError(f"{folder} is there already and is not an empty folder")


def make_repository(folder: str) -> None:
    """Start a repository; line ends stay as they are whatever git's settings on this machine say."""
    os.makedirs(folder, exist_ok=True)
    git(folder, "init", "--quiet", "--template=")
    git(folder, "symbolic-ref", "HEAD", "refs/heads/main")
    git(folder, "config", "core.autocrlf", "false")


def commit(folder: str, message: str) -> None:
    """Commit everything that is there, as the person of the demonstrations."""
    git(folder, "add", "--all")
    git(folder, "-c", "commit.gpgsign=false", "commit", "--quiet", "--no-verify", "--message", message)


def git(folder: str, *arguments: str, stdin: bytes = b"") -> None:
    """Run git in this folder, not in the repository that a surrounding git command may have told us about."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment |= {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in PERSON.items()}
    command = ["git", "-C", folder, *arguments]
    try:
        subprocess.run(command, input=stdin, env=environment, check=True, capture_output=True)
    except FileNotFoundError:
        raise GitError("git is not installed, or not on the PATH") from None
    except subprocess.CalledProcessError as error:
        raise GitError(f"git {arguments[0]} failed: {error.stderr.decode(errors='replace').strip()}") from None


@contextlib.contextmanager
def undone_on_failure(folder: str) -> Iterator[None]:
    """Remove a half-made folder, the whole of which is ours."""
    try:
        yield
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
