"""A terminal of its own for a command, which is where pages and progress are shown at all."""

import errno
import os
import pty
import select
import signal
import sys
from pathlib import Path


class Terminal:
    """A command at a terminal."""

    def __init__(self, cwd, arguments, env, program):
        command = [str(Path(sys.executable).with_name("linetrail"))]
        if program is not None:
            command = [sys.executable, "-c", program]
        environment = os.environ | {"TERM": "xterm", "COLUMNS": "120", "LINES": "20"} | env
        self.process, self.fd = pty.fork()
        if not self.process:
            os.chdir(cwd)
            os.execve(command[0], [*command, *arguments], environment)
        self.text = ""

    def read(self, until=None, seconds=300):
        """Read until some text appears, or the end."""
        while until is None or until not in self.text:
            assert select.select([self.fd], [], [], seconds)[0], f"nothing more after {self.text!r}"
            try:
                chunk = os.read(self.fd, 65536)
            except OSError as error:
                assert error.errno == errno.EIO  # noqa: PT017  how Linux says that the other end is closed
                break
            if not chunk:
                break
            self.text += chunk.decode(errors="replace")
        return self.text.replace("\r\n", "\n")

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def status(self):
        """Return what the command ended with."""
        self.read()
        _, status = os.waitpid(self.process, 0)
        self.process = 0
        return os.waitstatus_to_exitcode(status)

    def close(self):
        if self.process:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.fd)
