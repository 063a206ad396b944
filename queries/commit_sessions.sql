-- Which sessions were at work for this commit?
-- param commit?: only this commit, by the first characters of its id
-- columns: vcs_revision, session_id, agent_name, files, lines_added, match_method
with
wanted as (
    select position, event_id, vcs_revision, parent_revision
    from v_commits
    where $commit is null or starts_with(vcs_revision, $commit)
),

-- work that was done on top of the commit's parent, on files that the commit has
matched as (
    select
        wanted.vcs_revision as vcs_revision,
        wanted.position as position,
        mutations.session_id as session_id,
        mutations.agent_name as agent_name,
        mutations.path as path,
        mutations.lines_added as lines_added
    from wanted
    inner join v_mutations as mutations
        on mutations.vcs_revision = wanted.parent_revision and mutations.position < wanted.position
    inner join v_event_paths as paths
        on paths.event_id = wanted.event_id and paths.path = mutations.path
    where mutations.contributor_type = 'ai'
)

select
    vcs_revision,
    session_id,
    agent_name,
    count(distinct path) as files,
    sum(lines_added) as lines_added,
    'parent and path' as match_method
from matched
group by vcs_revision, position, session_id, agent_name
order by position, session_id;
