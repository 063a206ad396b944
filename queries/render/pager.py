"""Show a long answer in a pager, as git does, when stdout is a terminal.

An answer is shown once all of it is there, so what fails at once says so as ever and starts no pager. Until then
`isatty` goes on to say that a person is looking. A pager that cannot be run, or that fails, loses no line: what it was
given is printed.
"""

import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import TextIO

from linetrail.queries.render.terminal import is_dumb

DEFAULT = "less -FRX"
# What git says where nobody chose a pager, or chose this one and left the rest to others.
_ANY_LESS = {DEFAULT, "less", "pager"}
# How a shell says that there is no such program.
_NOT_FOUND = 127


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
    answer = _Answer(terminal)
    sys.stdout = answer
    if talk.isatty():
        sys.stderr = _Talk(answer, talk)
    try:
        yield
    except KeyboardInterrupt:
        answer.given.truncate(0)
        raise
    finally:
        sys.stdout, sys.stderr = terminal, talk
        if content := answer.given.getvalue():
            _show(content, command, terminal)


class _Answer(io.TextIOWrapper):
    """What a pager will be given, laid out as for the terminal."""

    def __init__(self, terminal: TextIO) -> None:
        self.given = io.BytesIO()
        self._terminal = terminal
        super().__init__(self.given, encoding=terminal.encoding, errors=terminal.errors, write_through=True)

    def isatty(self) -> bool:
        """Return True: output for pagers is laid out as for terminals."""
        return True

    def fileno(self) -> int:
        return self._terminal.fileno()


class _Talk(io.TextIOBase):
    """A stderr whose text stands in the answer where that has begun, else on the terminal."""

    def __init__(self, answer: _Answer, talk: TextIO) -> None:
        self._answer, self._talk = answer, talk

    def write(self, text: str) -> int:
        return (self._answer if self._answer.given.tell() else self._talk).write(text)

    def flush(self) -> None:
        self._talk.flush()

    def isatty(self) -> bool:
        """Return whether progress may be drawn: not into an answer."""
        return not self._answer.given.tell() and self._talk.isatty()


def _show(content: bytes, command: str, terminal: TextIO) -> None:
    """Hand an answer to the pager, and wait until that ends: a further Ctrl-C is for the pager alone."""
    environment = {"LESS": "FRX", "LV": "-c"} | os.environ
    terminal.flush()
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        done = subprocess.run(
            ["sh", "-c", command], input=content, env=environment, stdout=terminal.fileno(), check=False
        )
        status = done.returncode
    except OSError:
        status = _NOT_FOUND
    finally:
        signal.signal(signal.SIGINT, before)
    if 0 < status <= _NOT_FOUND:  # what is above says which signal ended it
        print(f"note: the pager `{command}` ended with {status}; this is what it was given", file=sys.stderr)
        while content:
            content = content[os.write(terminal.fileno(), content) :]
