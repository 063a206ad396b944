"""Tell pages that events came, as server-sent events whose ids are positions in the ledger.

A page says which position it shows, and a browser that connects anew which it was told of last: what came in between
is told then. While a page listens, the names of two files are looked at; while none does, nothing is done.
"""

import json
from collections.abc import AsyncIterator

import anyio
import anyio.to_thread

from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository
from linetrail.queries.answers.log import stamp

EVERY_SECONDS = 0.4


def position(repository: Repository) -> int:
    """Return how many events the ledger has."""
    with Ledger(repository).extent() as extent:
        return extent.events


async def news(repository: Repository, after: int) -> AsyncIterator[str]:
    """Yield a message each time the ledger has more events than before, from a position on; never end."""
    seen = None
    yield ": listening\n\n"
    while True:
        found = stamp(repository)
        if found != seen:
            now = await anyio.to_thread.run_sync(position, repository)
            if now > after:
                yield f"id: {now}\ndata: {json.dumps({'events': now})}\n\n"
                after = now
            seen = found
        await anyio.sleep(EVERY_SECONDS)
