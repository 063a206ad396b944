"""The files in which a project tells agents how to work there, and our parts of them."""

import os

from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.knowledge.marked_part import MarkedTextError
from linetrail.ledger.repository import Repository

CLAUDE, AGENTS = "CLAUDE.md", "AGENTS.md"
# those that people keep lessons in, and those that some agent reads besides
FILES = (CLAUDE, AGENTS)
EVERY_FILE = tuple(dict.fromkeys((*FILES, *(row.instructions for row in CATALOGUE.values()))))


def locate(repository: Repository, name: str) -> str:
    """Return the instruction file that is meant by a name: where one of them is a link to the other, the other."""
    path = os.path.join(repository.root, name)
    if not os.path.islink(path):
        return path
    for other in EVERY_FILE:
        if os.path.realpath(path) == os.path.join(repository.root, other):
            return os.path.join(repository.root, other)
    raise MarkedTextError(f"{path} is a symbolic link to {os.readlink(path)}; linetrail writes no file outside of here")


def existing(repository: Repository) -> str:
    """Return the name of the file that this project has; the one that Claude Code reads where it has both or none."""
    there = [name for name in FILES if os.path.lexists(os.path.join(repository.root, name))]
    return CLAUDE if CLAUDE in there or not there else there[0]
