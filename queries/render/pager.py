"""Show a long answer in a pager, as git does, when stdout is a terminal.

Nothing is started before the first byte is printed, so what fails at once says so as ever. While the pager runs it is
what stdout is; `isatty` goes on to say that a person is looking. A pager that cannot be run, or that fails, loses no
line: what it was given is printed.
"""

import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, TextIO

from linetrail.queries.render.terminal import is_dumb

DEFAULT = "less -FRX"
# What git says where nobody chose a pager, or chose this one and left the rest to others.
_ANY_LESS = {DEFAULT, "less", "pager"}
# What is remembered of the answer, should the pager fail: more than any pipe holds that nobody reads.
KEPT = 1 << 20


def chosen(directory: str) -> str | None:
    """Return the pager's command line from LINETRAIL_PAGER, git or the system; None for no pager."""
    ours = os.environ.get("LINETRAIL_PAGER")
    command = _as_git(directory) if ours is None else ours
    if command in _ANY_LESS:
        return DEFAULT if shutil.which("less") else None
    return None if command.strip() in {"", "cat"} else command


def _as_git(directory: str) -> str:
    """Return git's choice: it reads `GIT_PAGER`, `core.pager` and `PAGER`, in this order."""
    with contextlib.suppress(OSError):
        done = subprocess.run(
            ["git", "-C", directory, "var", "GIT_PAGER"], stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        if done.returncode == 0:
            return os.fsdecode(done.stdout).strip()
    return os.environ.get("PAGER", DEFAULT)


@contextlib.contextmanager
def paged(directory: str) -> Iterator[None]:
    """Show what the block prints in a pager, if stdout is a terminal and a pager is wanted."""
    terminal, talk = sys.stdout, sys.stderr
    command = chosen(directory) if terminal.isatty() and not is_dumb() else None
    if command is None:
        yield
        return
    terminal.flush()
    pager = _Pager(command, terminal, talk)
    shown = io.TextIOWrapper(io.BufferedWriter(pager), encoding=terminal.encoding, errors=terminal.errors)
    interrupted = False
    sys.stdout = shown
    if talk.isatty():
        sys.stderr = _Talk(pager, shown, talk)
    try:
        yield
        shown.flush()
    except KeyboardInterrupt:
        interrupted = True
        raise
    finally:
        with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
            shown.flush()
        sys.stdout, sys.stderr = terminal, talk
        pager.end(interrupted=interrupted)
        with contextlib.suppress(BrokenPipeError, ValueError):
            shown.close()


class _Pager(io.RawIOBase):
    """A stream into the pager, which starts with the first byte."""

    def __init__(self, command: str, terminal: TextIO, talk: TextIO) -> None:
        self._command, self._terminal, self._talk = command, terminal, talk
        self._process: subprocess.Popen[bytes] | None = None
        self._given = bytearray()
        self._overflown = self._failed = False

    @property
    def is_shown(self) -> bool:
        """Return whether the pager has the terminal now."""
        return self._process is not None and not self._failed

    def writable(self) -> bool:
        """Return True, as a raw stream for writing must."""
        return True

    def isatty(self) -> bool:
        """Return True: output for pagers is laid out as for terminals."""
        return True

    def fileno(self) -> int:
        """Return the terminal's number."""
        return self._terminal.fileno()

    def write(self, chunk: Any) -> int:
        """Write to the pager, or to the terminal if it failed."""
        content = bytes(chunk)
        if self._process is None and not self._failed:
            self._start()
        if not self._failed:
            self._remember(content)
            try:
                self._hand_over(content)
            except BrokenPipeError:
                if not self._gave_up():
                    raise
        else:
            self._print(content)
        return len(content)

    def end(self, *, interrupted: bool) -> None:
        """Wait until the pager ends; it handles a further Ctrl-C itself."""
        if self._process is None or self._failed:
            return
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            with contextlib.suppress(BrokenPipeError):
                self._stdin().close()
            self._process.wait()
        finally:
            signal.signal(signal.SIGINT, before)
        if not interrupted:
            self._gave_up()

    def _start(self) -> None:
        environment = {"LESS": "FRX", "LV": "-c"} | os.environ | {"LINETRAIL_PAGER_IN_USE": "1"}
        try:
            self._process = subprocess.Popen(
                ["sh", "-c", self._command], env=environment, stdin=subprocess.PIPE, stdout=self._terminal.fileno()
            )
        except OSError:
            self._failed = True

    def _stdin(self) -> io.BufferedWriter:
        process = self._process
        assert process is not None and isinstance(process.stdin, io.BufferedWriter)  # noqa: S101, PT018  told to the type checker: Popen was asked for a pipe
        return process.stdin

    def _hand_over(self, content: bytes) -> None:
        stdin = self._stdin()
        stdin.write(content)
        stdin.flush()

    def _remember(self, content: bytes) -> None:
        self._overflown = self._overflown or len(self._given) + len(content) > KEPT
        if not self._overflown:
            self._given += content

    def _gave_up(self) -> bool:
        """Print what the pager was given if it failed, and return whether it did."""
        if self._process is None:
            return False
        status = self._process.wait()
        if status <= 0 or self._overflown:
            return False
        self._failed = True
        print(f"note: the pager `{self._command}` ended with {status}; this is what it was given", file=self._talk)
        self._print(bytes(self._given))
        return True

    def _print(self, content: bytes) -> None:
        while content:
            content = content[os.write(self._terminal.fileno(), content) :]


class _Talk(io.TextIOBase):
    """A stderr that writes into the pager while that has the terminal, else to the terminal."""

    def __init__(self, pager: _Pager, shown: TextIO, talk: TextIO) -> None:
        self._pager, self._shown, self._talk = pager, shown, talk

    def write(self, text: str) -> int:
        """Write to the pager or the terminal, whichever is shown."""
        self._shown.flush()
        target = self._shown if self._pager.is_shown else self._talk
        return target.write(text)

    def flush(self) -> None:
        """Flush the stream that is shown."""
        (self._shown if self._pager.is_shown else self._talk).flush()

    def isatty(self) -> bool:
        """Return whether progress may be drawn: not while the pager has the terminal."""
        return not self._pager.is_shown and self._talk.isatty()
