"""The power may go at any time: whatever the disk then holds of what was not synced, nothing acknowledged is lost."""

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

import pytest

from linetrail.ledger.errors import StorageError
from tests.faults.acts import Act, event, ledger_at, make_root, must_hold, store
from tests.faults.disk import Disk, Told, chance, materialise
from tests.faults.shim import until_none_fails

pytestmark = pytest.mark.in_turn


def work(root, disk):
    """Do what a ledger is there for, and leave half a line as somebody who was killed would."""
    steps = [
        lambda: store(root, ["one"]),
        lambda: store(root, [f"small {number}" for number in range(4)], 300),
        lambda: store(root, ["large"], 65_000),
        lambda: spooled(root, ["aside 1", "aside 2"]),
        lambda: store(root, ["folds in"]),
        lambda: tear(root),
        lambda: store(root, ["heals"]),
        lambda: store(root, [f"batch {number}" for number in range(20)], 3_000),
        lambda: store(root, [f"import {number}" for number in range(5)], 60_000),
        lambda: sealed(root),
        lambda: store(root, ["behind a segment"]),
        lambda: spooled(root, ["aside 3"]),
        lambda: sealed(root),
        lambda: store(root, ["last"]),
    ]
    for step in steps:
        disk.told(step())


def spooled(root, texts):
    ledger_at(root).spool([event(text) for text in texts])
    return texts


def sealed(root):
    ledger_at(root).seal()
    return []


def tear(root):
    fd = os.open(ledger_at(root).path, os.O_WRONLY | os.O_APPEND)
    os.write(fd, b'{"v":1,"id":"0199' + b"x" * 5_000)
    os.close(fd)
    return []


def tree(root):
    paths = sorted(Path(root).rglob("*"))
    return {str(path.relative_to(root)): None if path.is_dir() else path.read_bytes() for path in paths}


def everything(number, change):
    return [change]


def nothing(number, change):
    return []


def all_but(n):
    return lambda number, change: [] if number == n else [change]


def only(n):
    return lambda number, change: [change] if number == n else []


def choices(seeds):
    yield from (everything, nothing)
    yield from (choice(n) for n in range(6) for choice in (all_but, only))
    yield from (chance(seed) for seed in range(seeds))


@pytest.fixture
def disk(tmp_path):
    root = make_root(str(tmp_path / "project"))
    disk = Disk(root)
    with disk.recorded():
        work(root, disk)
    return disk


def test_the_record_of_a_disk_gives_the_disk(disk):
    assert disk.after(len(disk.steps), everything) == tree(disk.root)


@pytest.mark.promise("D3")
def test_what_is_acknowledged_is_on_the_disk_at_that_moment(disk, tmp_path, figure):
    told = [at for at, step in enumerate(disk.steps) if isinstance(step, Told) and step.texts]

    for at in told:
        recovers(disk, at + 1, disk.after(at + 1, nothing))

    figure(f"{len(told)} of {len(told)} acknowledgements come after the sync")


@pytest.mark.promise("D2", "R1")
@pytest.mark.parametrize(
    ("each", "seeds"),
    [pytest.param(3, 5, id="some", marks=pytest.mark.slow), pytest.param(1, 250, id="many", marks=pytest.mark.fault)],
)
def test_no_state_that_a_loss_of_power_may_leave_loses_what_was_acknowledged(disk, each, seeds, figure):
    seen = set()
    for at in range(len(disk.steps), -1, -each):
        for choice in choices(seeds):
            state = disk.after(at, choice)
            digest = hashlib.sha256(repr((at, sorted(state.items()))).encode()).digest()
            if digest not in seen:
                seen.add(digest)
                recovers(disk, at, state)

    figure(f"{len(seen):,} states, 0 lost, 0 unreadable")


@pytest.mark.promise("D4")
@pytest.mark.parametrize("times", [1, 2, 3], ids=["one sync fails", "two in a row", "three in a row"])
@pytest.mark.parametrize("call", ["fdatasync", "fsync"])
def test_a_sync_that_failed_is_not_hidden_by_the_next_one(tmp_path, call, times, figure):
    told, texts = [], ["one", "two", "three", "three", "four"]

    def attempt(fault):
        root = make_root(tempfile.mkdtemp(dir=tmp_path))
        disk = Disk(root)
        with fault.injected(), disk.recorded():
            for text in texts:
                with contextlib.suppress(StorageError):
                    disk.told(store(root, [text]))
        told.extend(step for step in disk.steps if isinstance(step, Told))
        for choice in (nothing, only(0), only(1), everything):
            recovers(disk, len(disk.steps), disk.after(len(disk.steps), choice), texts)

    failures = until_none_fails(call, "EIO", attempt, times)

    figure(f"{failures} failed syncs, 0 of {len(told)} acknowledgements false")


def recovers(disk, steps, state, attempted=()):
    """Start again from a state with the code of every day."""
    told = [text for step in disk.steps[:steps] if isinstance(step, Told) for text in step.texts]
    all_told = [text for step in disk.steps if isinstance(step, Told) for text in step.texts]
    with tempfile.TemporaryDirectory() as root:
        materialise(state, root)
        must_hold(root, told, Act(list, lambda *_: None, [*attempted, *all_told]))
