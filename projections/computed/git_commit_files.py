"""The files that commits changed, as git has them."""

from collections.abc import Iterator

from linetrail.projections.computed import git_log
from linetrail.projections.tables.tables import Asked

ABOUT = "one row is one file that a commit changed; merges have none"
COLUMNS = {
    "vcs_revision": "VARCHAR",
    "path": "VARCHAR",
    "old_path": "VARCHAR",
    "blob": "VARCHAR",
    "insertions": "BIGINT",
    "deletions": "BIGINT",
}
VERSION = 1
key = git_log.key


def rows(asked: Asked) -> Iterator[tuple[object, ...]]:
    """Yield the files by commit and path."""
    for commit in git_log.commits(asked.repository, asked.head):
        for file in sorted(commit.files, key=lambda file: file.path):
            yield commit.revision, file.path, file.old_path, file.blob, file.insertions, file.deletions
