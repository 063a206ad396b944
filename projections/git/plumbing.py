"""Ask git for something it has to answer, and take its refusal for an error that says why."""

import subprocess
from collections.abc import Mapping

from linetrail.ledger.errors import GitError
from linetrail.ledger.repository import Repository, invocation


def answer(
    repository: Repository, *arguments: str, stdin: bytes = b"", around: Mapping[str, str] | None = None
) -> bytes:
    """Return what git printed; `around` is what its environment holds beside the usual.

    Git inherits the locks that are meant to be inherited.
    """
    command, environment = invocation(repository, *arguments)
    environment |= around or {}
    try:
        done = subprocess.run(command, env=environment, input=stdin, capture_output=True, close_fds=False)  # noqa: PLW1510  its status is looked at
    except OSError as error:
        raise GitError(f"cannot run git: {error.strerror}") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise GitError(f"git {_command(arguments)} failed in {repository.root}: {said}")
    return done.stdout


def _command(arguments: tuple[str, ...]) -> str:
    """Return the name of the command behind the options that git itself takes."""
    words = iter(arguments)
    for word in words:
        if word == "-c":
            next(words, None)
        elif not word.startswith("-"):
            return word
    return ""
