"""Contents by their hashes: SHA-256, SHA-1 and SHAKE256, from wherever they are quickest.

Of short texts CPython's own is four times as fast as OpenSSL's, of long ones OpenSSL's is fourteen times as fast; but
to load OpenSSL takes longer than all that a hook hashes.
"""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import _Hash
    from hashlib import sha256 as short_sha256
else:
    try:
        if sys.version_info >= (3, 12):
            from _sha2 import sha256 as short_sha256
        else:
            from _sha256 import sha256 as short_sha256
    except ImportError:
        from hashlib import sha256 as short_sha256

__all__ = ["sha1", "sha256", "shake_256", "short_sha256"]
# From here on OpenSSL's is faster where it is loaded, and from there on it is worth being loaded.
SHORT_BYTES, LONG_BYTES = 256, 1 << 18


def digest(content: bytes) -> str:
    """Name a content by its hash: ``sha256:`` and 64 hex digits."""
    return f"sha256:{sha256(content).hexdigest()}"


def git_blob(content: bytes) -> str:
    """Return the object id that git (with SHA-1) gives this content when no filter touches it."""
    return sha1(b"blob %d\0" % len(content) + content).hexdigest()


def is_binary(content: bytes) -> bool:
    """Judge as git does: a NUL among the first 8,000 bytes."""
    return b"\0" in content[:8000]


def sha256(content: bytes = b"") -> "_Hash":
    """Return the running hash of a content."""
    if len(content) >= SHORT_BYTES and (len(content) >= LONG_BYTES or "hashlib" in sys.modules):
        import hashlib

        return hashlib.sha256(content)
    return short_sha256(content)


def sha1(content: bytes) -> "_Hash":
    """Return the SHA-1 hash of a content; only git's names of files are made with it."""
    try:
        from _sha1 import sha1 as hash_of  # type: ignore[import-not-found]  # no stub tells of it
    except ImportError:
        from hashlib import sha1 as hash_of
    found: _Hash = hash_of(content, usedforsecurity=False)
    return found


def shake_256(content: bytes, length: int) -> bytes:
    """Return so many bytes of the SHAKE256 hash of a content; only what is kept of files is sealed with it."""
    try:
        from _sha3 import shake_256 as hash_of  # type: ignore[import-not-found]  # no stub tells of it
    except ImportError:
        from hashlib import shake_256 as hash_of
    found: bytes = hash_of(content).digest(length)
    return found
