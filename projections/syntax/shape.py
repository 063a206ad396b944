"""Deeper readings of one definition, made only when somebody asks: what survives reformatting, renaming, rewriting."""

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tree_sitter


def structure(node: "tree_sitter.Node") -> str:
    """Return the hash of the tree's shape with its names and literals."""
    raise NotImplementedError


def normalised(node: "tree_sitter.Node") -> str:
    """Return the hash of the shape with every local name replaced by the place where it is first bound."""
    raise NotImplementedError


def subtrees(node: "tree_sitter.Node") -> Counter[str]:
    """Return the hash of each statement below, with how often it is there."""
    raise NotImplementedError


def similarity(one: Counter[str], other: Counter[str]) -> float:
    """Tell how much two multisets share: 0.0 nothing, 1.0 everything, also where both are empty."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0
