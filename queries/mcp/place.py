"""Find the repository that a client works in: where we were started, else where its agent or it says.

Looked for at each call, since a ledger may be made while the server runs.
"""

import os
import re
from collections.abc import Iterator, Sequence

from linetrail.ledger.agents import PROJECT_VARIABLES
from linetrail.ledger.errors import LinetrailError, NotARepositoryError
from linetrail.ledger.repository import Repository, find, require_ledger, require_own

# Set to the project for the servers that agents start; an editor may name several.
_VARIABLES = (*PROJECT_VARIABLES, "WORKSPACE_FOLDER_PATHS")
_SEPARATOR = re.compile(f"[,{os.pathsep}]")


def found(directory: str, roots: Sequence[str]) -> Repository:
    """Return the first repository with a ledger; where there is none, say what is missing where we were started."""
    trouble: LinetrailError | None = None
    for folder in dict.fromkeys(_folders(directory, roots)):
        try:
            return require_own(require_ledger(find(folder)))
        except LinetrailError as error:
            trouble = trouble or error
    raise trouble or NotARepositoryError(f"{directory} is no folder any more")


def _folders(directory: str, roots: Sequence[str]) -> Iterator[str]:
    named = (part for name in _VARIABLES for part in _SEPARATOR.split(os.environ.get(name, "")))
    for folder in (directory, *roots, *named):
        if folder and "\0" not in folder and os.path.isdir(folder):
            yield os.path.abspath(folder)
