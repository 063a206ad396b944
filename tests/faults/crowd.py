"""Processes at work on one ledger at the same time."""

import contextlib
import multiprocessing
import random
import time
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from typing import Any

from linetrail.ledger.errors import LockTimeoutError
from linetrail.ledger.log.store import APPENDED
from linetrail.ledger.repository import find
from linetrail.projections.build import rebuild
from tests.faults.acts import event, ledger_at

CONTEXT = multiprocessing.get_context("forkserver")
PATIENCE = 600.0  # seconds for the lock: what goes to the spool is another test
SIZES = [0] * 180 + [2_000] * 19 + [60_000]


def started(work: Callable[..., None], *args: Any) -> BaseProcess:
    CONTEXT.set_forkserver_preload([__name__])
    process = CONTEXT.Process(target=work, args=args)
    process.start()
    return process


@contextlib.contextmanager
def meanwhile(*works: Callable[[str, Any], None], root: str) -> Iterator[None]:
    """Let processes do this again and again until the block is done."""
    done = CONTEXT.Event()
    processes = [started(work, root, done) for work in works]
    try:
        yield
    finally:
        done.set()
        for process in processes:
            process.join()
    assert [process.exitcode for process in processes] == [0] * len(works)


def write(root: str, writer: int, count: int, batch: int = 1) -> None:
    """Append so many events, of sizes from 300 B to 60 KB, and end badly when one was not stored at once."""
    ledger, source = ledger_at(root, PATIENCE), random.Random(writer)
    for first in range(0, count, batch):
        numbers = range(first, min(first + batch, count))
        receipts = ledger.append([event(text_of(writer, at), source.choice(SIZES), time.time_ns()) for at in numbers])
        assert {receipt.outcome for receipt in receipts} == {APPENDED}


def text_of(writer: int, number: int) -> str:
    return f"{writer}.{number}"


def seal_again_and_again(root: str, done: Any) -> None:
    while not done.is_set():
        with contextlib.suppress(LockTimeoutError):
            ledger_at(root, PATIENCE).seal()
        done.wait(0.3)


def rebuild_again_and_again(root: str, done: Any) -> None:
    while not done.is_set():
        rebuild(find(root))
        done.wait(0.3)


def read_again_and_again(root: str, done: Any) -> None:
    """Read everything, and end badly when what was there once is not there any more, or not in that order."""
    before: list[str] = []
    while not done.is_set():
        start = time.perf_counter()
        now = [line.event.data["signal"] for line in ledger_at(root).read()]
        assert now[: len(before)] == before
        assert len(set(now)) == len(now)
        before = now
        done.wait(3 * (time.perf_counter() - start))  # or reading would take all there is of the machine


def race(root: str, writer: int, text: str, go: Any, told: Any) -> None:
    """Wait for the word, then append an event that others append at the same moment, and tell what became of it."""
    ledger = ledger_at(root, PATIENCE)
    go.wait()
    told.put((writer, ledger.append([event(text)])[0].outcome))
