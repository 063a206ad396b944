"""Find the edits of records that would be imported in the repository, and how they are known.

They go to a ledger of their own outside the repository, which is asked as any ledger is (docs/survival.md has the
methods). What is in no commit may be in the working tree; the commits of bots hold nobody's work.
"""

import contextlib
import os
from collections.abc import Callable

from linetrail.ledger.files import digest
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.observe.mutation import MAX_BYTES
from linetrail.ledger.repository import Repository, file_path
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables, bounded
from linetrail.queries.importers.sink import Import, Report
from linetrail.queries.importers.trial import aside
from linetrail.queries.statements import statement

# A file in the working tree that is as a session left it: the same as such a file in a commit.
WORKING_TREE, _CONTENT = "working tree", 0.95
# What the database may take; what does not fit goes to the disk.
MEMORY = "160MB"
# Files of the working tree that are looked at.
MAX_FILES = 10_000


def matched(into: Import, run: Callable[[Import], Report]) -> tuple[Report, Table]:
    """Import into a ledger aside, and say where the edits of each session are; nothing is left behind."""
    repository = into.repository
    with aside(repository) as elsewhere:
        report = run(into._replace(aside=Ledger(elsewhere)))
        with bounded(elsewhere, MEMORY) as tables:
            return report, _matches(repository, tables)


def _matches(repository: Repository, tables: Tables) -> Table:
    left = tables.ask(statement("matching_left"), {"limit": MAX_FILES}).rows
    hashes: dict[str, str | None] = {}
    for path, _, _ in left:
        if path not in hashes:
            hashes[path] = _hash(os.path.join(repository.root, file_path(path)))
    found = [(path, after) for path, after, _ in left if hashes[path] == after]
    return tables.ask(
        statement("matching"),
        {
            "paths": [path for path, _ in found],
            "hashes": [after for _, after in found],
            "content": _CONTENT,
            "tree": WORKING_TREE,
        },
    )


def _hash(path: str) -> str | None:
    with contextlib.suppress(OSError):
        if os.path.isfile(path) and os.path.getsize(path) <= MAX_BYTES:
            with open(path, "rb") as file:
                return digest(file.read())
    return None
