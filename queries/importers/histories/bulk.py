"""Read many objects of git in one go: it looks for the next while the last is worked on."""

import subprocess
import tempfile
from collections.abc import Generator, Sequence
from typing import IO

from linetrail.ledger.errors import GitError
from linetrail.ledger.repository import Repository
from linetrail.ledger.vcs import invocation


def bulk(repository: Repository, names: Sequence[str]) -> Generator[bytes | None]:
    """Yield the content of each object; None where git does not have it."""
    command, environment = invocation(repository, "cat-file", "--batch", "--buffer")
    with tempfile.TemporaryFile() as asked:
        asked.write("".join(f"{name}\n" for name in names).encode())
        asked.seek(0)
        try:
            process = subprocess.Popen(
                command, env=environment, stdin=asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            raise GitError(f"cannot run git: {error.strerror}") from None
    with process:
        try:
            for name in names:
                yield _object(process.stdout, name) if process.stdout else None
        finally:
            process.kill()


def _object(answers: IO[bytes], name: str) -> bytes | None:
    heading = answers.readline()
    if heading.endswith(b" missing\n"):
        return None
    told = heading.split()
    content = answers.read(int(told[2]) + 1) if len(told) == 3 else b""
    if not content.endswith(b"\n"):
        raise GitError(f"git cat-file ended before it came to {name}")
    return content[:-1]
