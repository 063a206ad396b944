-- One row is one commit that HEAD comes from, or that was seen being made.
-- words: commit, revision
-- also: line, code, change, file
-- figures: added, deleted, size, files, sessions
-- verbs: commit, contain, hold, edit, write, wrote, written, contribute, have, work, touch, change, make, made
-- verbs: modify, bring, brought, delete, add, carry, bundle, comprise, include
-- kind=merge: merge
-- evidence=observed: seen, observe, watched
select
    commits.vcs_revision as id,
    coalesce(commits.authored_at, commits.observed_at) as happened_at,
    commits.author_id as author,
    commits.author_id as who,
    commits.subject as what,
    commits.ai_trailer as trailer,
    commits.is_bot as bot,
    matches.agent,
    matches.session,
    coalesce(matches.contributor, 'human') as contributor,
    matches.model,
    coalesce(matches.intent, commits.intent_id) as intent,
    matches.sessions,
    case when commits.parents > 1 then 'merge' else 'plain' end as kind,
    case when commits.observed_at is null then 'unobserved' else 'observed' end as evidence,
    changed.file,
    commits.insertions as added,
    commits.deletions as deleted,
    commits.insertions + commits.deletions as size,
    commits.files
from v_commits as commits
left join (
    select
        found.vcs_revision,
        string_agg(distinct found.agent_name, chr(10) order by found.agent_name) as agent,
        string_agg(distinct found.session_id, chr(10) order by found.session_id) as session,
        count(distinct found.session_id) as sessions,
        string_agg(distinct sessions.model_id, chr(10) order by sessions.model_id) as model,
        string_agg(distinct worked.intent_id, chr(10) order by worked.intent_id) as intent,
        'ai' as contributor
    from v_commit_matches as found
    left join v_sessions as sessions on sessions.session_id = found.session_id
    left join v_mutations as worked on worked.session_id = found.session_id
    where found.confidence >= 0.5
    group by found.vcs_revision
) as matches on matches.vcs_revision = commits.vcs_revision
left join (
    select vcs_revision, string_agg(path, chr(10) order by path) as file
    from v_commit_files
    group by vcs_revision
) as changed on changed.vcs_revision = commits.vcs_revision
