"""Name a content by its hash, and tell text from what is none."""

from linetrail.ledger.hashes import sha1, sha256


def digest(content: bytes) -> str:
    """Name a content by its hash: ``sha256:`` and 64 hex digits."""
    return f"sha256:{sha256(content).hexdigest()}"


def git_blob(content: bytes) -> str:
    """Return the object id that git (with SHA-1) gives this content when no filter touches it."""
    return sha1(b"blob %d\0" % len(content) + content).hexdigest()


def is_binary(content: bytes) -> bool:
    """Judge as git does: a NUL among the first 8,000 bytes."""
    return b"\0" in content[:8000]
