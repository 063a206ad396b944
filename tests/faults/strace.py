"""Kill a process at one of its system calls, as the kernel sees them: what no patch in Python can.

A process is forked that has everything imported, strace takes hold of it, and only then the act begins.
"""

import contextlib
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from tests.faults.acts import TRACED

# What leaves a trace on a disk or lets go of something; all else changes nothing that could be found afterwards.
CHANGING = re.compile(r"open(at)?|p?write(v|64)?|f(data)?sync|f?truncate|(rename|link|unlink|mkdir)(at2?)?|rmdir|flock")
_CALL = re.compile(r"^\d+ +(\w+)\(", re.MULTILINE)


@cache
def why_not() -> str | None:
    """Return why processes cannot be traced here; None when they can."""
    if sys.platform != "linux" or shutil.which("strace") is None:
        return "needs strace"
    done = subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else f"tracing is forbidden here: {done.stderr.strip()}"


def calls(act: str, root: str) -> Counter[str]:
    """Return how often an act makes each system call that changes something."""
    log = os.path.join(root, "calls")
    run(act, root, "-o", log, "-e", "trace=all")
    with open(log, encoding="utf-8", errors="replace") as file:
        return Counter(name for name in _CALL.findall(file.read()) if CHANGING.fullmatch(name))


def killed(act: str, root: str, call: str, k: int) -> list[str]:
    """Run an act, kill it as it enters its k-th call of this name, and return what it had acknowledged."""
    return run(act, root, "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={k}")


def run(act: str, root: str, *options: str) -> list[str]:
    """Run an act under strace and return what it acknowledged, however it ended."""
    with _forked(act, root) as (process, connection):
        tracer = subprocess.Popen(
            ["strace", "-f", "-p", str(process.pid), *options], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        with tracer:
            assert tracer.stderr is not None
            assert b"attached" in (said := tracer.stderr.readline()), said
            connection.send("go")
            process.join(60)
        return list(_received(connection))


@contextlib.contextmanager
def _forked(act: str, root: str) -> Iterator[tuple[BaseProcess, Connection]]:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, "linetrail.projections.build", "duckdb"])
    ours, theirs = context.Pipe()
    process = context.Process(target=_perform, args=(act, root, theirs))
    process.start()
    theirs.close()
    try:
        assert ours.recv() == "ready"
        yield process, ours
    finally:
        process.kill()
        process.join()
        ours.close()


def _perform(act: str, root: str, connection: Connection) -> None:
    connection.send("ready")
    connection.recv()
    TRACED[act].run(root, lambda texts: connection.send(list(texts)))


def _received(connection: Connection) -> Iterator[str]:
    with contextlib.suppress(EOFError, ConnectionResetError):
        while connection.poll():
            yield from connection.recv()
