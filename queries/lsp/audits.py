"""The findings of repositories, worked out by a process of their own: who points at a line does not wait for them."""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from linetrail.ledger.repository import Repository

Finding = Mapping[str, Any]


class Audits:
    """One audit at a time for each repository, and its findings until something is recorded, committed or saved."""

    def __init__(self) -> None:
        self._audits: dict[str, tuple[object, asyncio.Task[Sequence[Finding]]]] = {}

    async def findings(self, repository: Repository, moment: object) -> Sequence[Finding]:
        """Return the rows of `linetrail audit --json`; `moment` is what they follow from."""
        known = self._audits.get(repository.root)
        if known is None or known[0] != moment:
            known = moment, asyncio.create_task(_audit(repository))
            self._audits[repository.root] = known
        return await asyncio.shield(known[1])  # somebody else may wait for it, too

    def forget(self) -> None:
        """Have findings worked out anew."""
        self._audits.clear()


async def _audit(repository: Repository) -> Sequence[Finding]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "linetrail", "-C", repository.root, "audit", "--json"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        out, _ = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        raise
    try:
        rows: Sequence[Finding] = json.loads(out)["rows"]
    except (ValueError, KeyError):
        return []  # what is in the way of an audit, the other questions say
    return rows
