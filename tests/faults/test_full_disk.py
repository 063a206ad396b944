"""A disk may be full: what is there stays valid, the error says so, and there is nothing to clean up by hand."""

import os
import shutil
import subprocess
import time

import pytest

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import SETTLED_NS
from linetrail.ledger.repository import find
from linetrail.projections.build import rebuild
from tests.faults.acts import ledger_at, make_root, store, stored

pytestmark = pytest.mark.in_turn

ROOM = 1 << 20
LARGE = [f"part {number}" for number in range(3)]  # of a batch of 150 KB


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own with one megabyte of room."""
    folder = tmp_path / "disk"
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", str(folder)]
    done = subprocess.run(["mount", *options], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"needs leave to mount a file system: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def root(small_disk):
    return make_root(str(small_disk / "project"))


def filled(root, leaving=0):
    """Take all the room that is left, but for so many bytes."""
    path = os.path.join(root, "ballast")
    with open(path, "wb") as file:
        file.write(b"x" * max(shutil.disk_usage(root).free - leaving, 0))
    return path


@pytest.mark.promise("A4")
def test_batches_are_stored_until_the_disk_is_full_and_again_when_there_is_room(root, figure):
    acknowledged, refused, said = [], [], set()
    for number in range(12):
        texts = [f"{number} {text}" for text in LARGE]
        try:
            acknowledged += store(root, texts, 50_000)
        except StorageError as error:
            said.add(str(error).partition(": ")[2])
            refused += texts
    assert len(acknowledged) >= len(LARGE)
    assert len(refused) >= len(LARGE)
    assert all("No space left on device" in text or "bytes written" in text for text in said)
    assert stored(root) == acknowledged

    with open(ledger_at(root).path, "rb") as file:
        assert file.read().endswith(b"}\n")
    subprocess.run(["mount", "-o", f"remount,size={8 * ROOM}", os.path.dirname(root)], check=True)
    store(root, refused, 50_000)

    assert stored(root) == acknowledged + refused
    assert list(ledger_at(root).problems()) == []
    figure(f"{len(acknowledged)} events acknowledged, {len(refused)} refused, 0 in part")


@pytest.mark.promise("A4", "D5")
@pytest.mark.parametrize("leaving", range(0, 24_576, 4_096))
def test_a_disk_that_fills_up_while_sealing_costs_nothing(root, leaving):
    texts = [f"event {number}" for number in range(30)]
    store(root, texts, 1_000)
    ballast = filled(root, leaving)

    sealed = seals(root)
    assert stored(root) == texts

    os.unlink(ballast)
    assert sealed or seals(root)
    store(root, ["next"])
    assert stored(root) == [*texts, "next"]


@pytest.mark.daily(1)
@pytest.mark.promise("A4", "R5")
@pytest.mark.parametrize("leaving", [0, 8_192, 65_536])
def test_a_disk_that_fills_up_while_rebuilding_leaves_the_old_answers(root, leaving):
    store(root, ["one", "two"])
    rebuild(find(root))
    time.sleep(2 * SETTLED_NS / 1e9)  # a file that changed so lately is not remembered as it is
    stored(root)
    before = tree(os.path.join(root, ".orchestration"))
    ballast = filled(root, leaving)

    try:
        rebuild(find(root), full=True)
    except StorageError:
        assert tree(os.path.join(root, ".orchestration")) == before

    os.unlink(ballast)
    rebuild(find(root))
    assert stored(root) == ["one", "two"]


def seals(root):
    try:
        return bool(ledger_at(root).seal())
    except StorageError:
        return False


def tree(folder):
    return sorted(os.path.join(path, name) for path, _, names in os.walk(folder) for name in names)
