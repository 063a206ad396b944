"""Read and write key files: readable by their owner alone, and outside of the repository that the key signs."""

import contextlib
import os
import stat
import sys

from linetrail.ledger.errors import LinetrailError, NotARepositoryError, UsageError
from linetrail.ledger.files import PRIVATE_FILE, sync, sync_folder, write_whole
from linetrail.ledger.log import signed_notes
from linetrail.ledger.log.signed_notes import Signer
from linetrail.ledger.repository import Repository, find

STDIN = "-"
# Far more than a key takes.
_MAX_CHARACTERS = 4096


class ExposedKeyError(LinetrailError):
    """A private key is readable by others, or its place would make it so."""


def write_key(file: str, signer: Signer, repository: Repository | None) -> None:
    """Write a new key durably; never replace an existing file."""
    _require_outside(file, repository)
    try:
        fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
    except FileExistsError:
        raise UsageError(f"{file} exists already, and might be the only copy of a key; give another name") from None
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from None
    try:
        write_whole(fd, f"{signer.text}\n".encode(), 0, file)
        sync(fd)
    except BaseException:
        os.unlink(file)
        raise
    finally:
        os.close(fd)
    sync_folder(os.path.dirname(os.path.abspath(file)))


def read_key(name: str, directory: str, repository: Repository) -> Signer:
    """Read the signing key from a file, relative to `directory`, or from standard input (`-`)."""
    if name == STDIN:
        return signed_notes.read_signer(sys.stdin.read(_MAX_CHARACTERS))
    file = os.path.normpath(os.path.join(directory, name))
    _require_outside(file, repository)
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            mode = stat.S_IMODE(os.fstat(opened.fileno()).st_mode)
            text = opened.read(_MAX_CHARACTERS)
    except OSError as error:
        raise UsageError(f"cannot read the key {file}: {error.strerror}") from None
    if os.name == "posix" and mode & 0o077:
        raise ExposedKeyError(f"others can read the private key {file} (mode {mode:o})", f"chmod 600 {file}")
    return signed_notes.read_signer(text)


def here(directory: str) -> Repository | None:
    with contextlib.suppress(NotARepositoryError):
        return find(directory)
    return None


def _require_outside(file: str, repository: Repository | None) -> None:
    if repository is not None and repository.relative(file) is not None:
        message = f"{file} is inside the repository, where an agent can read it and a commit can publish it"
        raise ExposedKeyError(message, "keep the key in a folder outside of the repository")
