"""The key under which this repository marks secrets, and the redactor that uses it.

The key lies where all worktrees and branches share it and git never looks: `linetrail/` in git's common directory.
`.orchestration/state` may be deleted at any time, and a clone must not get it: with the key, guesses can be checked.
Losing it loses nothing but the link between old marks and new ones. It is made when the first secret is met.
"""

import contextlib
import os

from linetrail.ledger.files import PRIVATE_FILE, make_folder, sync
from linetrail.ledger.redact.redactor import cut, excerpt, marked
from linetrail.ledger.repository import Repository

KEY, KEY_BYTES = "redaction.key", 32
PRIVATE = "linetrail"


def private_folder(repository: Repository) -> str:
    """Return where this machine keeps what belongs to the repository and is not for its readers."""
    return os.path.join(repository.common_dir or os.path.join(repository.folder, "state"), PRIVATE)


class Redactor:
    """Takes secrets out of the texts of one repository; without a folder, and without a key, marks carry no link."""

    def __init__(self, folder: str | None) -> None:
        self.folder = folder
        self._key: bytes | None = None
        self._asked = folder is None

    def excerpt(self, text: str, limit: int = 200) -> str:
        """Redact, fold white space, cut."""
        clean = excerpt(text, limit)
        return excerpt(text, limit, self._known_key()) if marked(clean) else clean

    def cut(self, text: str, limit: int) -> str:
        """Redact and cut."""
        clean = cut(text, limit)
        return cut(text, limit, self._known_key()) if marked(clean) else clean

    def _known_key(self) -> bytes | None:
        """Return the key, which is read or made no sooner than the first secret is met."""
        if not self._asked and self.folder is not None:
            self._key, self._asked = key(self.folder), True
        return self._key


def key(folder: str) -> bytes | None:
    """Return the key that is kept in a folder, made if there is none; None where it can be neither read nor kept."""
    path = os.path.join(folder, KEY)
    with contextlib.suppress(OSError):
        return _read(path) or _make(path)
    return None


def _read(path: str) -> bytes | None:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return None
    try:
        content = os.read(fd, KEY_BYTES + 1)
    finally:
        os.close(fd)
    if len(content) != KEY_BYTES:
        raise OSError(f"{path} is no key")
    return content


def _make(path: str) -> bytes | None:
    """Make a key aside and link it into place: of two processes, one is first, and both use its key."""
    make_folder(os.path.dirname(path))
    aside = f"{path}.{os.getpid()}.{os.urandom(4).hex()}"
    fd = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        try:
            os.write(fd, os.urandom(KEY_BYTES))
            sync(fd)
        finally:
            os.close(fd)
        with contextlib.suppress(FileExistsError):
            os.link(aside, path)
    finally:
        os.unlink(aside)
    return _read(path)
