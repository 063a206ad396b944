"""Create the git repository of a demonstration in a new or empty folder."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator

from linetrail.ledger.errors import GitError, UsageError

PERSON = {"NAME": "Demo Developer", "EMAIL": "dev@example.com"}


def require_free(folder: str) -> None:
    """Raise unless a folder is new or empty."""
    if os.path.lexists(folder) and not (os.path.isdir(folder) and not os.listdir(folder)):
        raise UsageError(f"{folder} is there already and is not an empty folder")


def make_repository(folder: str) -> None:
    """Create a repository whose line ends do not depend on this machine's git settings."""
    os.makedirs(folder, exist_ok=True)
    git(folder, "init", "--quiet", "--template=")
    git(folder, "symbolic-ref", "HEAD", "refs/heads/main")
    git(folder, "config", "core.autocrlf", "false")


def commit(folder: str, message: str) -> None:
    git(folder, "add", "--all")
    git(folder, "-c", "commit.gpgsign=false", "commit", "--quiet", "--no-verify", "--message", message)


def git(folder: str, *arguments: str, stdin: bytes = b"") -> None:
    """Run git in this folder, ignoring the GIT_ variables of a calling git."""
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
    try:
        yield
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
