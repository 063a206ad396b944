"""Commits that were made again by an amend, a rebase, a squash of one or a cherry-pick, and what they were before."""

from collections.abc import Iterator

from linetrail.ledger.repository import Repository
from linetrail.projections.computed import git_log
from linetrail.projections.git import plumbing
from linetrail.projections.tables.tables import Asked

ABOUT = "one row is one commit that HEAD comes from whose change was seen in a commit that HEAD does not come from"
COLUMNS = {"vcs_revision": "VARCHAR", "patch_id": "VARCHAR", "rewritten_from": "VARCHAR"}
VERSION = 1

_OBSERVED = "select count(*), max(position) from commits"
# What is not reachable any more, with the commits of git that change the same files and were not seen being made.
_CANDIDATES = """
with
gone as (
    select commits.vcs_revision, commits.event_id
    from commits
    anti join git_commits using (vcs_revision)
    where commits.patch_id is not null
),

seen_files as (
    select gone.vcs_revision, string_agg(distinct paths.path, chr(10) order by paths.path) as paths
    from gone
    inner join event_paths as paths on paths.event_id = gone.event_id
    group by gone.vcs_revision
),

files as (
    select git_commit_files.vcs_revision, string_agg(path, chr(10) order by path) as paths
    from git_commit_files
    anti join commits using (vcs_revision)
    group by git_commit_files.vcs_revision
)

select distinct files.vcs_revision
from files
inner join seen_files on seen_files.paths = files.paths
order by files.vcs_revision
"""
_PAIRS = """
with
told as (
    select unnest(cast($revisions as varchar[])) as vcs_revision, unnest(cast($patches as varchar[])) as patch_id
    union all
    select git_commits.vcs_revision, commits.patch_id
    from git_commits
    inner join commits using (vcs_revision)
    where commits.patch_id is not null
)

select
    told.vcs_revision,
    told.patch_id,
    arg_max(gone.vcs_revision, gone.position) as rewritten_from
from told
inner join commits as gone on gone.patch_id = told.patch_id
where gone.vcs_revision not in (select vcs_revision from git_commits)
group by told.vcs_revision, told.patch_id
order by told.vcs_revision
"""


def key(asked: Asked) -> list[object]:
    """Name the history that the clone has, and the commits that were seen being made."""
    return [git_log.place(asked.repository, asked.head), asked.tables.ask(_OBSERVED).rows]


def rows(asked: Asked) -> Iterator[tuple[object, ...]]:
    """Yield the commits by name."""
    candidates = [revision for (revision,) in asked.tables.ask(_CANDIDATES).rows]
    patches = _patch_ids(asked.repository, candidates) if candidates else {}
    given = {"revisions": list(patches), "patches": list(patches.values())}
    yield from asked.tables.ask(_PAIRS, given).rows


def _patch_ids(repository: Repository, revisions: list[str]) -> dict[str, str]:
    """Return git's stable patch ids, as the hooks record them."""
    stdin = "\n".join(revisions).encode() + b"\n"
    patches = plumbing.answer(repository, "diff-tree", "-p", "--root", "--stdin", stdin=stdin)
    told = plumbing.answer(repository, "patch-id", "--stable", stdin=patches).decode().split()
    return dict(zip(told[1::2], told[::2], strict=True))
