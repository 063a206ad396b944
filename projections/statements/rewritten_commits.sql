-- Commits with the patch of a commit that is not reachable any more
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
