"""What a query of anybody's may use, known to those who ask and to the process that answers."""

import os

SECONDS = 10.0
# How much longer the process would live if nobody were there any more to stop it.
GRACE = 1.0
MEMORY = 1024 * 1024 * 1024
THREADS = min(4, os.cpu_count() or 1)
MAX_SQL = 256 * 1024
MAX_ROWS = 100_000
MAX_BYTES = 32 * 1024 * 1024
MAX_MESSAGE = 2_000
# The exit status of a process that noticed itself that it has too much memory.
TOO_LARGE = 75
