-- Where the edits of each session are: in commits, in the working tree, or nowhere
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
