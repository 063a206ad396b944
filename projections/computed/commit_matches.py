"""Which sessions are in which commit, and how that is known.

The commits of bots hold no session's work, whatever was changed at the same time. Where something sure is known of a
commit, what is merely likely is left out; where nothing is, the sessions in question share what little confidence
there is.
"""

from typing import TYPE_CHECKING

from linetrail.projections.computed import git_log
from linetrail.projections.computed.blob_hashes import hashes
from linetrail.projections.statements import statement
from linetrail.projections.tables.tables import Asked

if TYPE_CHECKING:
    import duckdb

ABOUT = "one row is one session whose changes are in a commit, or may be"
COLUMNS = {
    "vcs_revision": "VARCHAR",
    "session_id": "VARCHAR",
    "agent_name": "VARCHAR",
    "files": "BIGINT",
    "lines": "BIGINT",
    "match_method": "VARCHAR",
    "confidence": "DOUBLE",
}
VERSION = 1

# What a method is worth. A parent is shared by this among all commits made on it that have the file; a trailer and a
# time are shared among all sessions that they fit.
OBSERVED, CONTENT, PARENT, REWRITTEN, TRAILER, TIME = 1.0, 0.95, 0.8, 0.9, 0.5, 0.3
# A commit that nothing sure is known of may hold what was changed so long before it.
WINDOW_SECONDS = 86_400
# Clocks of two machines differ by so much.
SLACK_SECONDS = 300

_CHANGES = """
select count(*), max(position), coalesce(bit_xor(hash(position, file_index, event_id)), 0),
    (select count(*) from commits), (select max(position) from commits)
from mutation_files
"""


def key(asked: Asked) -> list[object]:
    """Name the history that the clone has, the changes of files and the commits that were seen being made."""
    return [git_log.key(asked), asked.tables.ask(_CHANGES).rows]


def rows(asked: Asked) -> "duckdb.DuckDBPyRelation":
    """Return the query that holds what was recorded against what git has."""
    wanted = [blob for (blob,) in asked.tables.ask(statement("commit_matches_blobs"), {"slack": WINDOW_SECONDS}).rows]
    named = [(blob, name) for blob, names in hashes(asked.repository, wanted).items() for name in names]
    given: dict[str, object] = {
        "blobs": [blob for blob, _ in named],
        "hashes": [name for _, name in named],
        "observed": OBSERVED,
        "content": CONTENT,
        "parent": PARENT,
        "rewritten": REWRITTEN,
        "trailer": TRAILER,
        "time": TIME,
        "window": WINDOW_SECONDS,
        "slack": SLACK_SECONDS,
    }
    asked.tables.show(
        ["commits", "git_commits", "git_commit_files", "event_paths", "mutation_files", "rewritten_commits"]
    )
    return asked.tables.connection.sql(statement("commit_matches"), params=given)
