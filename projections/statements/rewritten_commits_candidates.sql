-- Commits that nobody saw being made and that change the files of a commit that is not reachable any more
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
