"""The Merkle tree of RFC 6962, section 2.1 (the same tree as in RFC 9162): one hash that stands for a list of leaves.

A leaf is hashed behind one byte, two nodes behind another, so no node can be passed off as a leaf. The left subtree of
every node is the largest full one that leaves something to the right; level by level that is: pair from the left,
and let an odd one move up.
"""

import hashlib
from collections.abc import Iterable, Sequence

_LEAF, _NODE = b"\x00", b"\x01"


def root(leaves: Iterable[bytes]) -> bytes:
    """Return the hash of the whole tree; that of no leaves is the hash of nothing.

    >>> root([]).hex()[:16], root([b""]).hex()[:16]
    ('e3b0c44298fc1c14', '6e340b9cffb37a98')
    """
    level = [_leaf(leaf) for leaf in leaves]
    while len(level) > 1:
        level = _above(level)
    return level[0] if level else hashlib.sha256().digest()


def proof(leaves: Iterable[bytes], index: int) -> list[bytes]:
    """Return the hashes that lead from one leaf to the root, lowest first."""
    level = [_leaf(leaf) for leaf in leaves]
    if not 0 <= index < len(level):
        raise IndexError(f"no leaf {index} among {len(level)}")
    path = []
    while len(level) > 1:
        path += level[index ^ 1 : (index ^ 1) + 1]
        level, index = _above(level), index >> 1
    return path


def is_proven(leaf: bytes, index: int, size: int, path: Sequence[bytes], top: bytes) -> bool:
    """Return whether a proof shows that this leaf has this place in the tree with `size` leaves and the root `top`."""
    if not 0 <= index < size:
        return False
    digest, last = _leaf(leaf), size - 1
    rest = iter(path)
    while last:
        # The last node of a level with an odd count has no neighbour: it moves up as it is.
        if index % 2 or index < last:
            beside = next(rest, b"")
            digest = _node(beside, digest) if index % 2 else _node(digest, beside)
        index, last = index >> 1, last >> 1
    return digest == top and next(rest, None) is None


def _leaf(content: bytes) -> bytes:
    return hashlib.sha256(_LEAF + content).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(_NODE + left + right).digest()


def _above(level: Sequence[bytes]) -> list[bytes]:
    nodes = [_node(left, right) for left, right in zip(level[::2], level[1::2], strict=False)]
    return [*nodes, *level[2 * len(nodes) :]]
