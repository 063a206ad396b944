-- one row is one session: a conversation with an agent
-- needs: events, session_marks, approval_answers
-- by: session_id
-- arg_min and arg_max pass over nulls: what was said last, if anything was
with
seen as (
    select
        session_id,
        min(position) as first_position,
        max(position) as last_position,
        arg_max(agent_name, position) as agent_name,
        arg_max(agent_version, position) as agent_version,
        arg_max(model_id, position) as model_id,
        arg_max(branch, position) as branch,
        arg_min(occurred_at, position) as first_event_at,
        arg_max(occurred_at, position) as last_event_at,
        count(*) as events,
        count(*) filter (where event_type = 'prompt.submitted') as prompts,
        count(*) filter (where event_type = 'tool.requested') as tool_requests,
        count(*) filter (where event_type = 'mutation.observed') as mutations
    from events
    where session_id is not null
    group by session_id
),

starts as (
    select
        session_id,
        max(position) as started_position,
        arg_min(occurred_at, position) as started_at,
        arg_min(source, position) as source,
        arg_min(parent_session_id, position) as parent_session_id,
        arg_max(transcript, position) as transcript,
        arg_max(cwd, position) as cwd,
        arg_max(permission_mode, position) as permission_mode
    from session_marks
    where event_type = 'session.started'
    group by session_id
),

ends as (
    select
        session_id,
        max(position) as ended_position,
        arg_max(occurred_at, position) as ended_at,
        arg_max(end_reason, position) as end_reason
    from session_marks
    where event_type = 'session.ended'
    group by session_id
),

-- whoever answered for it what was asked
people as (
    select session_id, arg_max(human_id, position) as human_id
    from approval_answers
    group by session_id
)

select
    seen.session_id as session_id,
    human_id,
    agent_name,
    agent_version,
    model_id,
    parent_session_id,
    source,
    transcript,
    cwd,
    permission_mode,
    branch,
    started_at,
    case when ended_position > coalesce(started_position, 0) then ended_at end as ended_at,
    case when ended_position > coalesce(started_position, 0) then end_reason end as end_reason,
    first_event_at,
    last_event_at,
    first_position,
    last_position,
    events,
    prompts,
    tool_requests,
    mutations
from seen
left join starts on starts.session_id = seen.session_id
left join ends on ends.session_id = seen.session_id
left join people on people.session_id = seen.session_id;
