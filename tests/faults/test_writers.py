"""Many at once, some of whom die or fall asleep: nothing is lost, nothing comes twice, and order has no gap."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from linetrail.ledger.log.store import ALREADY, APPENDED, SPOOLED
from tests.faults.acts import event, ledger_at, make_root, store, stored
from tests.faults.crowd import (
    CONTEXT,
    PATIENCE,
    meanwhile,
    race,
    read_again_and_again,
    rebuild_again_and_again,
    seal_again_and_again,
    started,
    text_of,
    write,
)

WRITERS = 16


@pytest.fixture
def root(tmp_path):
    root = make_root(str(tmp_path / "project"))
    os.mkdir(ledger_at(root).folder, 0o700)
    return root


@pytest.mark.promise("C1", "O1", "C4")
@pytest.mark.parametrize(
    "count", [pytest.param(40, id="40 each"), pytest.param(10_000, id="10,000 each", marks=pytest.mark.fault)]
)
def test_sixteen_writers_a_sealer_a_reader_and_a_rebuild_lose_nothing(root, count, figure):
    start = time.perf_counter()
    with meanwhile(seal_again_and_again, rebuild_again_and_again, read_again_and_again, root=root):
        writers = [started(write, root, writer, count) for writer in range(WRITERS)]
        for writer in writers:
            writer.join()
    seconds = time.perf_counter() - start
    ledger_at(root).seal()

    found = Counter(stored(root))

    assert [writer.exitcode for writer in writers] == [0] * WRITERS
    assert found == Counter(text_of(writer, at) for writer in range(WRITERS) for at in range(count))
    assert gapless(root)
    assert {line.event.type for line in ledger_at(root).read()} == {"agent.signalled"}
    for writer in range(WRITERS):
        mine = [text for text in found if text.startswith(f"{writer}.")]
        assert mine == [text_of(writer, at) for at in range(count)]
    figure(f"{len(found):,} of {WRITERS * count:,} in {seconds:.0f} s, each in its writer's order")


@pytest.mark.promise("O1")
def test_numbers_in_a_chain_have_no_gap_and_no_repeat(root, figure):
    writers = [started(write, root, writer, 50, 5) for writer in range(WRITERS)]
    for writer in writers:
        writer.join()

    numbers = [line.event.seq for line in ledger_at(root).read()]

    assert numbers == list(range(1, WRITERS * 50 + 1))
    figure(f"1 to {numbers[-1]:,}")


@pytest.mark.promise("I1", "C3")
def test_of_all_who_append_the_same_event_one_does_and_the_others_are_told(root, figure):
    racers, go, told = 32, CONTEXT.Event(), CONTEXT.Queue()
    processes = [started(race, root, number, "the same", go, told) for number in range(racers)]
    go.set()
    outcomes = Counter(told.get(timeout=60)[1] for _ in processes)
    for process in processes:
        process.join()

    assert outcomes == {APPENDED: 1, ALREADY: racers - 1}
    assert stored(root) == ["the same"]
    figure(f"{racers} at once: 1 stored, {racers - 1} told so")


@pytest.mark.promise("C2")
def test_a_holder_that_is_killed_lets_go_at_once(root, figure):
    store(root, ["before"])
    with holder(root) as process:
        process.kill()
        process.wait()
        start = time.perf_counter()
        receipt, *_ = ledger_at(root, lock_seconds=0).append([event("after")])  # nobody waits for it
        seconds = time.perf_counter() - start

    assert receipt.outcome == APPENDED
    figure(f"the next one had to wait {seconds * 1000:.0f} ms")


@pytest.mark.promise("C2")
def test_a_holder_that_sleeps_sends_the_others_to_the_spool_and_nothing_is_lost(root, figure):
    store(root, ["before"])
    with holder(root) as process:
        process.send_signal(signal.SIGSTOP)
        start = time.perf_counter()
        receipt, *_ = ledger_at(root, 0.3).append([event("meanwhile")])
        seconds = time.perf_counter() - start
        process.send_signal(signal.SIGCONT)
    store(root, ["after"])

    assert receipt.outcome == SPOOLED
    assert stored(root) == ["before", "meanwhile", "after"]
    figure(f"spooled {(seconds - 0.3) * 1000:.0f} ms after giving up on the lock")


@contextlib.contextmanager
def holder(root):
    """Hold the lock of the tail in another process, in the middle of what an append does."""
    command = [sys.executable, "-c", HOLD, ledger_at(root).path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        yield process
        with contextlib.suppress(BrokenPipeError):
            process.communicate(b"\n")


def gapless(root):
    """Tell whether the chains of all segments go on without a gap, each from its parent or from nothing."""
    with ledger_at(root, PATIENCE).extent() as extent:
        segments = {segment.name: segment for segment in extent.segments}
    before = {segment.name: [segments[parent] for parent in segment.parents] for segment in segments.values()}
    return all(
        segment.first == 1 or any(parent.last == segment.first - 1 for parent in before[segment.name])
        for segment in segments.values()
    )


HOLD = """
import fcntl, sys
file = open(sys.argv[1], "rb")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read(1)
"""
