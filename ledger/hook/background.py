"""Start what follows from the end of a session in a process of its own, for which no agent waits.

It ends by itself: nothing here stays in the background.
"""

import contextlib
import os
import sys

from linetrail.ledger.repository import Repository

# Named and not imported: what answers questions is slow to load, and lies in a room above.
MODULE = "linetrail.queries.record.aftermath"


def start(repository: Repository) -> None:
    """Start the process; where the system refuses, the same is done by the next `linetrail seal`."""
    command = [sys.executable, "-P", "-m", MODULE, repository.root]
    if sys.platform == "win32":
        import subprocess  # 12 ms that only platforms without posix_spawn pay

        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        with contextlib.suppress(OSError):
            nobody = subprocess.DEVNULL
            subprocess.Popen(command, stdin=nobody, stdout=nobody, stderr=nobody, creationflags=flags)
        return
    actions = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in range(3)]
    # Where the system refuses, or its C library cannot leave the session of the agent: see above.
    with contextlib.suppress(OSError, NotImplementedError):
        os.posix_spawn(sys.executable, command, os.environ, file_actions=actions, setsid=True)
