"""What all other tables were made of: which ledger, which commit, by which program."""

import json
from collections.abc import Iterator

from linetrail.ledger.repository import Repository, git
from linetrail.projections.tables.tables import Asked, ledger_key

ABOUT = "one row is one fact about the ledger, the repository or the program"
COLUMNS = {"name": "VARCHAR", "val": "VARCHAR"}
VERSION = 1

# Of the views: a column or a name that goes away or changes its meaning gets another number.
SCHEMA_VERSION = 1


def key(asked: Asked) -> list[object]:
    """Name the facts: by the ledger, its segments, the commit, the program."""
    return [ledger_key(asked), _segments(asked), asked.head, _program()]


def rows(asked: Asked) -> Iterator[tuple[object, ...]]:
    """Yield the facts by name; what is not known has no row."""
    last = asked.tables.parts[-1].head
    facts = {
        "built_from": json.dumps(_segments(asked)),
        "events": str(last.seq),
        "head_revision": asked.head,
        "ledger_head": last.digest,
        "repo_id": repository_id(asked.repository),
        "schema_version": str(SCHEMA_VERSION),
        "tool_version": _program(),
    }
    yield from ((name, val) for name, val in facts.items() if val is not None)


def _segments(asked: Asked) -> list[str]:
    from linetrail.ledger.log import segments

    return sorted(segments.names(asked.repository.folder))


def repository_id(repository: Repository) -> str | None:
    """Return the first of the commits without a parent; None where there is no commit, or history is cut off."""
    from linetrail.projections.git.diff_sides import is_shallow

    if is_shallow(repository):
        return None
    told = git(repository, "rev-list", "--max-parents=0", "HEAD", "--") or b""
    return min(told.decode().split(), default=None)


def _program() -> str:
    from importlib.metadata import version

    return version("linetrail")
