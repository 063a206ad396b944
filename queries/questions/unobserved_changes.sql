-- Which files changed while no hook was looking?
-- control: CC7.2
-- asked as: no hook was looking, changed unobserved, nobody looking, changed without hook
-- asked as: change hook see|saw|seen|notice, change nobody saw|seen|see|explain|noticed|recorded
-- asked as: unexplained change
-- how many: unobserved change, coalesce(sum(times), 0)
-- topic: changes
-- param since?: only what was found from this moment on
-- columns: path, lines, first_commit, times, lines_deleted, first_found_at, last_found_at
-- found by comparing what is there with what was recorded last: by a person, by a program, or by an agent whose hooks were
-- off. lines: the new ones. first_commit: the first commit seen after it that has the file; null: none was seen. What is
-- in git and was never met by a hook at all is told by linetrail gate reconcile
with
found as (
    select
        path,
        min(position) as position,
        cast(sum(lines_added) as bigint) as lines,
        cast(sum(lines_deleted) as bigint) as lines_deleted,
        count(distinct mutation_id) as times,
        min(occurred_at) as first_found_at,
        max(occurred_at) as last_found_at
    from v_mutations
    where via = 'unseen' and not snapshot and ($since is null or occurred_at >= $since)
    group by path
),

committed as (
    select
        found.path as path,
        commits.vcs_revision as vcs_revision,
        row_number() over (partition by found.path order by commits.position) as nth
    from found
    inner join v_event_paths as paths
        on paths.path = found.path and paths.role = 'commit' and paths.position > found.position
    inner join v_commits as commits on commits.event_id = paths.event_id
)

select
    found.path,
    found.lines,
    committed.vcs_revision as first_commit,
    found.times,
    found.lines_deleted,
    found.first_found_at,
    found.last_found_at
from found
left join committed on committed.path = found.path and committed.nth = 1
order by found.times desc, found.path;
