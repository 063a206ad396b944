"""The order of steps, as an agent is told it in its own instruction file, between markers.

Short, since every session pays for it. Steps are planned in the manner of installation.py, so that nothing is
written while anything is in the way.
"""

import os
from collections.abc import Iterable, Iterator

from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.knowledge import marked_part
from linetrail.ledger.repository import Repository
from linetrail.queries.setup.instructions import EVERY_FILE, locate
from linetrail.queries.setup.steps import CREATE, KEEP, REMOVE, UPDATE, Step, mode
from linetrail.queries.setup.templates import template

PART = "protocol"
TEXT = template("templates/protocol.md")


def plan_preamble(repository: Repository, agents: Iterable[str]) -> Iterator[Step]:
    """Plan the text in the instruction files of these agents; a text of an older version is replaced."""
    for path in dict.fromkeys(locate(repository, CATALOGUE[agent].instructions) for agent in agents):
        before = marked_part.read(path)
        after = _explained(path, before)
        if after == before:
            yield Step(KEEP, path, "tells the order of steps already")
        else:
            action = CREATE if before is None else UPDATE
            yield Step(action, path, "the order of steps, between markers", after, mode(path))


def plan_undo_preamble(repository: Repository) -> Iterator[Step]:
    """Plan the removal of our text, and of a file that holds nothing else."""
    for name in EVERY_FILE:
        path = os.path.join(repository.root, name)
        before = None if os.path.islink(path) else marked_part.read(path)
        if before is None or marked_part.begin(PART).encode() not in before:
            continue
        after = marked_part.without_part(before, PART)
        if after is None:
            yield Step(REMOVE, path, "held nothing but the order of steps")
        elif after != before:
            yield Step(UPDATE, path, "without the order of steps", after, mode(path))


def _explained(path: str, before: bytes | None) -> bytes:
    try:
        return marked_part.with_part(before, PART, TEXT)
    except marked_part.MarkedTextError as error:
        raise marked_part.MarkedTextError(f"{path}: {error}") from None
