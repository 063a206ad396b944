"""Run the installed commands without their start-up: a server has loaded everything, and forks once for each.

A test of what a process reads, writes and ends with loses nothing by it: the child has its own memory, folder,
environment and streams. What it lacks is what loading costs and shows. Tests of that start the commands themselves, and
`pytest --processes` starts them for all.
"""

import array
import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import random
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

# What each command may load: a child copies the pages of all that its server has, and a hook needs little.
ROOMS = {
    "linetrail-hook": ("linetrail.ledger",),
    "linetrail": ("linetrail.ledger", "linetrail.projections", "linetrail.queries"),
}
# How long an agent waits for a hook is a promise to people; here a busy machine may take its time.
PATIENT_SECONDS = 60.0
# A process id, and then an exit status.
NUMBER = 8


class Request(NamedTuple):
    """What a process begins with."""

    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str]
    # how long the work of a hook may take
    seconds: float = PATIENT_SECONDS


class Server:
    """The process that forks a command, for one at a time; it ends with the process that started it."""

    def __init__(self, command: str) -> None:
        """Start it, and go on before it has loaded anything."""
        self._socket, theirs = socket.socketpair()
        with theirs:
            program = [sys.executable, "-P", __file__, str(theirs.fileno()), *ROOMS[command]]
            self._process = subprocess.Popen(program, pass_fds=[theirs.fileno()], cwd="/")

    def close(self) -> None:
        """Let it end."""
        self._socket.close()
        self._process.wait()

    def run(self, request: Request, *, stdin: bytes, timeout: float) -> subprocess.CompletedProcess[bytes]:
        """Run a command to its end, as `subprocess.run` does with `capture_output`."""
        with contextlib.ExitStack() as stack:
            streams = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
            streams[0].write(stdin)
            streams[0].seek(0)
            mine, theirs = (stack.enter_context(end) for end in socket.socketpair())
            self._send(request, [*(stream.fileno() for stream in streams), theirs.fileno()])
            theirs.close()
            process = int(mine.recv(NUMBER, socket.MSG_WAITALL))
            if not select.select([mine], [], [], timeout)[0]:
                os.kill(process, signal.SIGKILL)
                raise subprocess.TimeoutExpired(request.argv, timeout)
            status = int(mine.recv(NUMBER, socket.MSG_WAITALL))
            for stream in streams:
                stream.seek(0)
            return subprocess.CompletedProcess(request.argv, status, streams[1].read(), streams[2].read())

    def _send(self, request: Request, descriptors: Sequence[int]) -> None:
        text = json.dumps(request._asdict()).encode()
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
        self._socket.sendmsg([len(text).to_bytes(4, "big")], rights)
        self._socket.sendall(text)


def serve(requests: socket.socket, rooms: Sequence[str]) -> NoReturn:
    """Load everything, then fork for each request until nobody asks any more."""
    for room in rooms:
        for module in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}."):
            importlib.import_module(module.name)
    gc.freeze()  # a child that looked for garbage in all of it would copy its pages
    while True:
        head, descriptors, _, _ = socket.recv_fds(requests, 4, 4)
        if not head:
            os._exit(0)
        text = requests.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL)
        process = os.fork()
        if not process:
            requests.close()
            _become(Request(**json.loads(text)), descriptors)
        with socket.socket(fileno=descriptors.pop()) as status:
            for descriptor in descriptors:
                os.close(descriptor)
            status.sendall(b"%*d" % (NUMBER, process))
            code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            with contextlib.suppress(BrokenPipeError):  # nobody waited so long
                status.sendall(b"%*d" % (NUMBER, code))


def _become(request: Request, descriptors: Sequence[int]) -> NoReturn:
    """Be what a process of this command is, from its first line to its end."""
    *streams, status = descriptors
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.close(status)
    os.chdir(request.cwd)
    os.environ.clear()
    os.environ.update(request.env)
    time.tzset()
    random.seed()
    if "coverage" in sys.modules:  # tools/mutants.py asks which test runs a line
        sys.modules["coverage"].Coverage.current().switch_context(os.environ["PYTEST_CURRENT_TEST"])
    sys.argv = list(request.argv)
    code = 1
    try:
        code = _main(os.path.basename(request.argv[0]), request.seconds)
    except SystemExit as stop:
        code = int(stop.code or 0)
    except BaseException:  # noqa: BLE001  what an interpreter does at the end of a program
        traceback.print_exc()
    atexit._run_exitfuncs()  # noqa: SLF001  there is no other way to run them before `os._exit`
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _main(name: str, seconds: float) -> Any:
    from linetrail.ledger.hook import changes, entry, loop

    wait_for_no_disk()
    changes.SCAN_SECONDS = PATIENT_SECONDS
    loop.PATIENCE_SECONDS = loop.PROCESSOR_SECONDS = seconds
    if name != "linetrail":
        return entry.run()
    from linetrail.queries.cli import main

    be_patient()
    return main()


def be_patient() -> None:
    """Let work take the time that it needs on a busy machine, where what is found must not depend on it."""
    from linetrail.ledger.hook import changes
    from linetrail.projections.syntax import parsing
    from linetrail.queries.doctor import probe

    changes.SCAN_SECONDS = PATIENT_SECONDS
    parsing.parse.__kwdefaults__["seconds"] = PATIENT_SECONDS
    probe.PROBE_SECONDS = PATIENT_SECONDS


def wait_for_no_disk() -> None:
    """Let no process wait until a disk has what is soon thrown away."""
    os.fsync = os.fdatasync = lambda _: None


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:])
