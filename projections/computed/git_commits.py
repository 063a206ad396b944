"""The commits that HEAD comes from, as git has them."""

from collections.abc import Iterator
from datetime import UTC, datetime

from linetrail.projections.computed import git_log
from linetrail.projections.tables.tables import Asked

ABOUT = "one row is one commit that HEAD comes from"
COLUMNS = {
    "vcs_revision": "VARCHAR",
    "parent": "VARCHAR",
    "parents": "BIGINT",
    "authored_at": "TIMESTAMP",
    "authored_epoch": "BIGINT",
    "committed_at": "TIMESTAMP",
    "committed_epoch": "BIGINT",
    "author_id": "VARCHAR",
    "ai_trailer": "VARCHAR",
    "is_bot": "BOOLEAN",
    "subject": "VARCHAR",
    "files": "BIGINT",
    "insertions": "BIGINT",
    "deletions": "BIGINT",
}
VERSION = 1
key = git_log.key


def rows(asked: Asked) -> Iterator[tuple[object, ...]]:
    """Yield the commits by time."""
    for commit in git_log.commits(asked.repository, asked.head):
        counted = [(file.insertions, file.deletions) for file in commit.files if file.insertions is not None]
        yield (
            commit.revision,
            commit.parents[0] if commit.parents else None,
            len(commit.parents),
            _moment(commit.authored),
            commit.authored,
            _moment(commit.committed),
            commit.committed,
            commit.author,
            commit.agent,
            commit.is_bot,
            commit.subject,
            len(commit.files),
            sum(inserted for inserted, _ in counted),
            sum(deleted or 0 for _, deleted in counted),
        )


def _moment(seconds: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        return None  # git takes any number for a date
