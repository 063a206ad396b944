-- One row is one conversation with an agent.
-- words: session, conversation, chat
-- figures: prompts, calls, changes, commits, seconds, tokens, cost
-- verbs: work, start, begin, began, run, ran, take, took, have, end, make, made, touch, use, lead, led, result
-- verbs: produce, hold, held, resume, change, edit, get, got, see, saw
-- source=resume: resume
-- mode=bypassPermissions: unsupervised
-- status=open: open, running, unfinished, unended, active, ongoing
-- status=ended: ended, closed, finished, over
select
    sessions.session_id as id,
    sessions.started_at as happened_at,
    sessions.agent_name as agent,
    sessions.model_id as model,
    worked.intent,
    sessions.session_id as session,
    sessions.human_id as person,
    sessions.branch,
    sessions.permission_mode as mode,
    sessions.agent_version as agentversion,
    'ai' as contributor,
    sessions.agent_name as who,
    changed.file,
    concat_ws(' ', sessions.agent_name, sessions.model_id, worked.intent) as what,
    worked.words,
    case when sessions.ended_at is null then 'open' else 'ended' end as status,
    sessions.started_at,
    sessions.ended_at,
    sessions.end_reason as reason,
    sessions.source,
    sessions.parent_session_id as parent,
    judged.refusals_ever,
    sessions.prompts,
    sessions.tool_requests as calls,
    sessions.mutations as changes,
    matched.commits,
    round(epoch(sessions.ended_at) - epoch(sessions.started_at), 3) as seconds,
    used.tokens,
    used.cost
from v_sessions as sessions
left join (
    select
        happened.session_id,
        string_agg(distinct happened.intent_id, chr(10) order by happened.intent_id) as intent,
        string_agg(distinct intents.title, chr(10) order by intents.title) as words
    from v_events as happened
    left join v_intents as intents on intents.intent_id = happened.intent_id
    group by happened.session_id
) as worked on worked.session_id = sessions.session_id
left join (
    select session_id, string_agg(distinct path, chr(10) order by path) as file
    from v_mutations
    group by session_id
) as changed on changed.session_id = sessions.session_id
left join (
    select session_id, sum(tokens)::bigint as tokens, sum(cost_microusd)::bigint as cost
    from v_token_usage
    group by session_id
) as used on used.session_id = sessions.session_id
left join (
    select session_id, count(distinct vcs_revision) as commits
    from v_commit_matches
    group by session_id
) as matched on matched.session_id = sessions.session_id
left join (
    select session_id, count(*) as refusals_ever
    from v_verdicts
    where verdict = 'deny'
    group by session_id
) as judged on judged.session_id = sessions.session_id
