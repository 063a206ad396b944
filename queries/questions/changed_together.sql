-- Which files change together, in the same commits?
-- asked as: cochanged, co-change, cochange
-- topic: changes
-- param path?: only with this file
-- columns: path, changed_with, commits, of_commits, pct, last_at
-- of_commits: those that changed the first of both. Files of the ledger count as none, commits of more than 40 files as
-- none of work
with
changed as (
    select vcs_revision, path, count(*) over (partition by vcs_revision) as files
    from v_commit_files
    where path not like '.orchestration/%'
),

work as (
    select vcs_revision, path
    from changed
    where files <= 40
),

alone as (
    select path, count(*) as of_commits
    from work
    group by path
)

select
    work.path,
    others.path as changed_with,
    count(*) as commits,
    any_value(alone.of_commits) as of_commits,
    round(100.0 * count(*) / any_value(alone.of_commits), 1) as pct,
    max(coalesce(commits.authored_at, commits.observed_at)) as last_at
from work
join work as others on others.vcs_revision = work.vcs_revision
join alone on alone.path = work.path
left join v_commits as commits on commits.vcs_revision = work.vcs_revision
where work.path != others.path and ($path = work.path or ($path is null and work.path < others.path))
group by work.path, others.path
having count(*) >= 2 or $path is not null
order by count(*) desc, work.path, others.path;
