"""The Merkle tree is the one of RFC 6962: published vectors, the definition itself, another implementation."""

import hashlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.log import merkle

pytestmark = pytest.mark.in_turn

# The reference tree of Certificate Transparency (merkle_tree_test of the CT project), root of the first n at n.
LEAVES = [
    bytes.fromhex(leaf)
    for leaf in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def by_definition(leaves):
    """Return the root as the RFC writes it down."""
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest()
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + by_definition(leaves[:split]) + by_definition(leaves[split:])).digest()


@pytest.mark.promise("T4")
@pytest.mark.parametrize("size", range(len(ROOTS)))
def test_the_published_roots_come_out(size):
    assert merkle.root(LEAVES[:size]).hex() == ROOTS[size]


@given(st.lists(st.binary(max_size=40), max_size=70))
def test_the_root_is_that_of_the_definition(leaves):
    assert merkle.root(leaves) == by_definition(leaves)


def test_a_node_is_never_taken_for_a_leaf():
    two = [hashlib.sha256(b"\0" + leaf).digest() for leaf in (b"a", b"b")]

    assert merkle.root([b"".join(two)]) != merkle.root([b"a", b"b"])


@pytest.mark.slow
@pytest.mark.promise("T4")
def test_ten_thousand_trees_agree_with_another_implementation(figure):
    pymerkle = pytest.importorskip("pymerkle")
    rng = random.Random(6962)  # one sequence for every run, so that a difference can be found again

    for _ in range(10_000):
        leaves = [rng.randbytes(32) for _ in range(rng.randint(1, 24))]
        other = pymerkle.InmemoryTree.init_from_entries(leaves, algorithm="sha256")

        assert merkle.root(leaves) == other.get_root()

    figure("10,000 trees, no difference")
