"""The Merkle tree is the one of RFC 6962: published vectors, the definition itself, another implementation."""

import hashlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.log import merkle

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
PROOFS = {
    0: [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    5: [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
}

leaves_and_place = st.lists(st.binary(max_size=40), min_size=1, max_size=70).flatmap(
    lambda leaves: st.tuples(st.just(leaves), st.integers(0, len(leaves) - 1))
)


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


@pytest.mark.promise("T4")
@pytest.mark.parametrize("index", PROOFS)
def test_the_published_proofs_come_out_and_hold(index):
    proof = merkle.proof(LEAVES, index)

    assert [digest.hex() for digest in proof] == PROOFS[index]
    assert merkle.is_proven(LEAVES[index], index, 8, proof, bytes.fromhex(ROOTS[8]))


@given(st.lists(st.binary(max_size=40), max_size=70))
def test_the_root_is_that_of_the_definition(leaves):
    assert merkle.root(leaves) == by_definition(leaves)


@given(leaves_and_place)
def test_the_proof_of_every_leaf_holds(tree):
    leaves, index = tree

    assert merkle.is_proven(leaves[index], index, len(leaves), merkle.proof(leaves, index), merkle.root(leaves))


@given(leaves_and_place, st.data())
def test_a_proof_holds_for_nothing_else(tree, data):
    leaves, index = tree
    size, proof, root = len(leaves), merkle.proof(leaves, index), merkle.root(leaves)
    elsewhere = data.draw(st.integers(-2, size + 2).filter(lambda place: place != index))
    longer = [*proof, data.draw(st.binary(min_size=32, max_size=32))]

    assert not merkle.is_proven(leaves[index] + b"!", index, size, proof, root)
    assert not merkle.is_proven(leaves[index], index, size, longer, root)
    assert not merkle.is_proven(leaves[index], index, size, proof, merkle.root([*leaves, b"one more"]))
    if proof:
        assert not merkle.is_proven(leaves[index], index, size, proof[:-1], root)
    if 0 <= elsewhere < size and leaves[elsewhere] != leaves[index]:
        assert not merkle.is_proven(leaves[index], elsewhere, size, proof, root)
    if not 0 <= elsewhere < size:
        assert not merkle.is_proven(leaves[index], elsewhere, size, proof, root)


def test_a_node_is_never_taken_for_a_leaf():
    two = [hashlib.sha256(b"\0" + leaf).digest() for leaf in (b"a", b"b")]

    assert merkle.root([b"".join(two)]) != merkle.root([b"a", b"b"])


def test_there_is_no_proof_for_a_place_that_is_not_there():
    with pytest.raises(IndexError):
        merkle.proof([b"a"], 1)


@pytest.mark.slow
@pytest.mark.promise("T4")
def test_ten_thousand_trees_agree_with_another_implementation(figure):
    pymerkle = pytest.importorskip("pymerkle")
    rng = random.Random(6962)  # one sequence for every run, so that a difference can be found again

    for _ in range(10_000):
        leaves = [rng.randbytes(32) for _ in range(rng.randint(1, 24))]
        index = rng.randrange(len(leaves))
        other = pymerkle.InmemoryTree.init_from_entries(leaves, algorithm="sha256")
        theirs = other.prove_inclusion(index + 1).serialize()["path"][1:]  # it counts from 1, and begins with the leaf

        assert merkle.root(leaves) == other.get_root()
        assert [digest.hex() for digest in merkle.proof(leaves, index)] == theirs

    figure("10,000 trees, no difference")
