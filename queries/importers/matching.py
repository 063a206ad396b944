"""Find the edits of records that would be imported in the repository, and how they are known.

They go to a ledger of their own outside the repository, which is asked as any ledger is (docs/survival.md has the
methods). What is in no commit may be in the working tree; the commits of bots hold nobody's work.
"""

import contextlib
import os
from collections.abc import Callable

from linetrail.ledger.log.store import Ledger
from linetrail.ledger.observe.content import digest
from linetrail.ledger.observe.mutation import MAX_BYTES
from linetrail.ledger.repository import Repository, file_path
from linetrail.projections.tables.tables import Table, Tables, bounded
from linetrail.queries.importers.sink import Import, Report
from linetrail.queries.importers.trial import aside

# A file in the working tree that is as a session left it: the same as such a file in a commit.
WORKING_TREE, _CONTENT = "working tree", 0.95
# What the database may take; what does not fit goes to the disk.
MEMORY = "160MB"
# Files of the working tree that are looked at.
MAX_FILES = 10_000

_LEFT = """
select path, after_hash, max(position) as position
from mutation_files
where contributor_type = 'ai' and after_hash is not null
group by path, after_hash
order by position desc
limit $limit
"""
_MATCHES = """
with
edits as (
    select session_id, path, count(distinct coalesce(tool_call_id, event_id)) as edits
    from mutation_files
    where contributor_type = 'ai' and session_id is not null
    group by session_id, path
),

in_commits as (
    select
        edits.session_id,
        edits.path,
        arg_max(matches.match_method, (matches.confidence, matches.vcs_revision)) as match_method,
        max(matches.confidence) as confidence
    from edits
    inner join commit_matches as matches on matches.session_id = edits.session_id
    inner join git_commit_files as made
        on made.vcs_revision = matches.vcs_revision and edits.path in (made.path, made.old_path)
    group by edits.session_id, edits.path
),

in_tree as (
    select distinct session_id, path
    from mutation_files
    inner join (select unnest(cast($paths as varchar[])) as path, unnest(cast($hashes as varchar[])) as after_hash)
        using (path, after_hash)
    where contributor_type = 'ai' and session_id is not null
),

matched as (
    select
        edits.session_id,
        edits.path,
        edits.edits,
        case
            when in_commits.confidence >= $content or in_tree.path is null then in_commits.match_method
            else $tree
        end as match_method,
        case when in_tree.path is null then in_commits.confidence else greatest($content, in_commits.confidence) end
            as confidence
    from edits
    left join in_commits using (session_id, path)
    left join in_tree using (session_id, path)
),

calls as (
    select session_id, count(*) as calls
    from tool_calls
    group by session_id
)

select
    sessions.session_id as session_id,
    sessions.agent_name as agent_name,
    coalesce(max(calls.calls), 0) as calls,
    coalesce(sum(matched.edits), 0)::bigint as edits,
    count(matched.path) as files,
    matched.match_method as match_method,
    min(matched.confidence) as confidence
from sessions
left join matched using (session_id)
left join calls using (session_id)
where sessions.session_id is not null
group by sessions.session_id, sessions.agent_name, matched.match_method
order by session_id, edits desc, match_method
"""


def matched(into: Import, run: Callable[[Import], Report]) -> tuple[Report, Table]:
    """Import into a ledger aside, and say where the edits of each session are; nothing is left behind."""
    repository = into.repository
    with aside(repository) as elsewhere:
        ledger = Ledger(elsewhere)
        report = run(into._replace(aside=ledger))
        # where nothing was new there would be no file, and the one that git's folder keeps would be read in its place
        with open(ledger.path, "ab"):
            pass
        # HEAD is found through what worktrees share; nothing is asked that would be kept there
        with bounded(elsewhere._replace(common_dir=repository.common_dir), MEMORY) as tables:
            return report, _matches(repository, tables)


def _matches(repository: Repository, tables: Tables) -> Table:
    left = tables.ask(_LEFT, {"limit": MAX_FILES}).rows
    hashes: dict[str, str | None] = {}
    for path, _, _ in left:
        if path not in hashes:
            hashes[path] = _hash(os.path.join(repository.root, file_path(path)))
    found = [(path, after) for path, after, _ in left if hashes[path] == after]
    return tables.ask(
        _MATCHES,
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
