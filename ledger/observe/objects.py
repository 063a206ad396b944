"""The contents that differences are taken from: `objects/`, by their hashes, compressed and sealed.

What calls under way propose is sealed in the same way, where it is kept beside what is remembered of their files.

A file may hold secrets, and its content is kept beside it for as long as nobody prunes it. So it is sealed with the
repository's key, which lies where copies of the folder do not get it: XORed with SHAKE256 (FIPS 202) over the key and
a nonce of its own, which is a stream cipher. The name of the file is the hash of the content, so one that was changed
is not taken for it. Without a key nothing is kept.
"""

import contextlib
import os
import zlib

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import publish
from linetrail.ledger.hashes import shake_256
from linetrail.ledger.observe.content import digest
from linetrail.ledger.redact.fingerprints import key, private_folder
from linetrail.ledger.repository import Repository

FOLDER = "objects"
NONCE_BYTES = 16
# Before it is no zlib stream, which begins with 0x78; contents of earlier versions are such streams.
_SEALED = b"\x01"
_PURPOSE = b"linetrail object\0"


class Objects:
    """The contents that one worktree keeps."""

    def __init__(self, repository: Repository) -> None:
        self._folder = os.path.join(repository.folder, FOLDER)
        self._private = private_folder(repository)
        self._key: bytes | None = None

    def path(self, name: str) -> str:
        """Return where a content is kept, by its hash; an empty file there keeps it from being kept again."""
        hexadecimal = name.removeprefix("sha256:")
        return os.path.join(self._folder, hexadecimal[:2], hexadecimal[2:])

    def read(self, name: str) -> bytes | None:
        """Return a content by its hash; None when it was pruned or is not what its name says."""
        try:
            with open(self.path(name), "rb") as file:
                stored = file.read()
            content = zlib.decompress(self._opened(stored) if stored.startswith(_SEALED) else stored)
        except (OSError, zlib.error):
            return None
        return content if digest(content) == name else None

    def keep(self, name: str, content: bytes) -> None:
        """Keep a content so that a later difference can be taken from it; where it cannot be kept it is lost."""
        path = self.path(name)
        if not os.path.lexists(path) and not os.path.islink(os.path.dirname(path)):
            with contextlib.suppress(OSError, StorageError):
                publish(path, self._sealed(content), durable=False)

    def keep_for_good(self, name: str, content: bytes) -> bool:
        """Keep a content on the disk before returning; False where it was erased here."""
        path = self.path(name)
        if os.path.islink(os.path.dirname(path)) or self.is_erased(name):
            return False
        if self.read(name) is None:
            publish(path, self._sealed(content), durable=True)
        return True

    def is_erased(self, name: str) -> bool:
        """Return whether a person had a content erased here: an empty file stands in its place."""
        try:
            return os.lstat(self.path(name)).st_size == 0
        except OSError:
            return False

    def sealed(self, content: bytes | None) -> str | None:
        """Return a content as text that says nothing without the key; None where there is none, or no key."""
        with contextlib.suppress(StorageError):
            return None if content is None else self._sealed(content).hex()
        return None

    def opened(self, text: object) -> bytes | None:
        """Undo `sealed`; None for what is no such text, or cannot be read any more."""
        with contextlib.suppress(ValueError, StorageError, zlib.error):
            return zlib.decompress(self._opened(bytes.fromhex(text))) if isinstance(text, str) else None
        return None

    def _sealed(self, content: bytes) -> bytes:
        nonce = os.urandom(NONCE_BYTES)
        return _SEALED + nonce + self._masked(zlib.compress(content, 1), nonce)

    def _opened(self, stored: bytes) -> bytes:
        if not stored.startswith(_SEALED):
            raise ValueError("not sealed")
        begin = len(_SEALED) + NONCE_BYTES
        return self._masked(stored[begin:], stored[len(_SEALED) : begin])

    def _masked(self, text: bytes, nonce: bytes) -> bytes:
        if self._key is None:
            self._key = key(self._private)
        if self._key is None:
            raise StorageError(f"no key in {self._private}")
        mask = shake_256(_PURPOSE + self._key + nonce, len(text))
        return (int.from_bytes(text, "little") ^ int.from_bytes(mask, "little")).to_bytes(len(text), "little")
