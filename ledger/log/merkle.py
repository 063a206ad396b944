"""The Merkle tree of RFC 6962, section 2.1 (the same tree as in RFC 9162): one hash that stands for a list of leaves.

A leaf is hashed behind one byte, two nodes behind another, so no node can be passed off as a leaf. The left subtree of
every node is the largest full one that leaves something to the right; level by level that is: pair from the left,
and let an odd one move up.
"""

import hashlib
from collections.abc import Iterable

_LEAF, _NODE = b"\x00", b"\x01"


def root(leaves: Iterable[bytes]) -> bytes:
    """Return the hash of the whole tree; that of no leaves is the hash of nothing.

    >>> root([]).hex()[:16], root([b""]).hex()[:16]
    ('e3b0c44298fc1c14', '6e340b9cffb37a98')
    """
    level = [hashlib.sha256(_LEAF + leaf).digest() for leaf in leaves]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [*(hashlib.sha256(_NODE + left + right).digest() for left, right in pairs), *level[len(level) & ~1 :]]
    return level[0] if level else hashlib.sha256().digest()
