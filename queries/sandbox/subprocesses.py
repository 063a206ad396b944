"""Run a process that may do anything but outstay its time, say more than it may, or outlive whoever started it."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import IO, NamedTuple, cast

# Without these some installations of Python do not start; nothing else of the environment is handed on.
_NEEDED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")


class Ended(NamedTuple):
    """What a process said and how it ended. `status` is negative where a signal ended it."""

    output: bytes
    status: int
    late: bool


def supervised(
    command: Sequence[str], request: bytes, *, seconds: float, most_bytes: int, environment: Mapping[str, str]
) -> Ended:
    """Hand a process its request, and return what it says to it; its whole group is killed when we go on.

    Its stdin stays open for as long as anybody waits: at its end, whoever started it is gone.
    """
    variables = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if os.environ.get("LINETRAIL_DEBUG") == "1" else subprocess.DEVNULL,
        env={**variables, **environment},
        cwd=os.path.abspath(os.sep),
        start_new_session=True,
    )
    stdin, stdout = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
    late = threading.Event()

    def stop() -> None:
        late.set()
        _kill(process)

    clock = threading.Timer(seconds, stop)
    clock.daemon = True
    clock.start()
    try:
        with contextlib.suppress(BrokenPipeError):
            stdin.write(request)
            stdin.flush()
        output = stdout.read(most_bytes + 1)
        if len(output) <= most_bytes:
            process.wait()  # it has closed its output and is about to end, or its time runs out
    finally:
        clock.cancel()
        _kill(process)
        process.wait()
        stdout.close()
        with contextlib.suppress(BrokenPipeError):
            stdin.close()
    return Ended(output, process.returncode, late.is_set())


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
