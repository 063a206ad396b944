"""The findings of repositories, worked out by a process of their own: who points at a line does not wait for them."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from linetrail.ledger.repository import Repository

Finding = Mapping[str, Any]
# What a person asks for themselves comes first.
_NICENESS = 10


class Audits:
    """The findings of each repository until something is recorded, committed or saved; one audit of each at a time."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[object, Sequence[Finding]]] = {}
        self._running: dict[str, asyncio.Task[Sequence[Finding]]] = {}

    async def findings(self, repository: Repository, moment: Callable[[], Awaitable[object]]) -> Sequence[Finding]:
        """Return the rows of `linetrail audit --json`; `moment` tells what they follow from, as it is now.

        While an agent is at work that is another one all the time, so whoever asks waits for one audit that begins
        after they asked, and for no more.
        """
        rows: Sequence[Finding] = ()
        for _ in range(2):  # the one that runs already may have begun too early
            now = await moment()
            known = self._found.get(repository.root)
            if known is not None and known[0] == now:
                return known[1]
            rows = await asyncio.shield(self._audit(repository, now))  # somebody else may wait for it, too
        return rows

    def forget(self) -> None:
        """Have findings worked out anew, also those that an audit is at work on."""
        self._found.clear()
        self._running.clear()

    def _audit(self, repository: Repository, moment: object) -> asyncio.Task[Sequence[Finding]]:
        """Return the audit that runs, else a new one."""
        root = repository.root
        if root not in self._running:

            def keep(ended: asyncio.Task[Sequence[Finding]]) -> None:
                if self._running.get(root) is ended:
                    del self._running[root]
                    if not ended.cancelled() and ended.exception() is None:
                        self._found[root] = moment, ended.result()

            self._running[root] = asyncio.create_task(_audit(repository))
            self._running[root].add_done_callback(keep)
        return self._running[root]


async def _audit(repository: Repository) -> Sequence[Finding]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "linetrail", "-C", repository.root, "audit", "--json"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,  # it has processes of its own, which end with it
    )
    with contextlib.suppress(ProcessLookupError):
        os.setpriority(os.PRIO_PGRP, process.pid, _NICENESS)
    try:
        out, _ = await process.communicate()
    except asyncio.CancelledError:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.communicate()
        raise
    try:
        rows: Sequence[Finding] = json.loads(out)["rows"]
    except (ValueError, KeyError):
        return []  # what is in the way of an audit, the other questions say
    return rows
