-- A session ran without anybody being asked
-- id: LT009
-- level: medium
-- control: ASI03
-- message: session {session_id} of {agent_name} ran with permissions bypassed ({permission_mode})
-- remedy: linetrail log --session {session_id}; start the agent in a mode that asks
-- why: In such a mode the agent's own questions are off, so the gate of this repository is all that is left.
-- example: `claude --dangerously-skip-permissions`, left on after an experiment.
-- silent: for modes that ask, plan or accept edits alone
-- param since?: only calls from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at, permission_mode
with
bypassed as (
    select
        position,
        session_id,
        intent_id,
        agent_name,
        tool_call_id,
        started_at,
        permission_mode,
        row_number() over (partition by session_id, permission_mode order by position) as nth
    from v_tool_calls
    where
        lower(permission_mode) in ('bypasspermissions', 'dontask', 'yolo', 'auto', 'full-auto', 'danger-full-access')
        and ($since is null or started_at >= $since)
),

-- of agents that say it once, when they start
declared as (
    select
        first_position as position,
        session_id,
        cast(null as varchar) as intent_id,
        agent_name,
        first_event_at as started_at,
        permission_mode
    from v_sessions
    where
        lower(permission_mode) in ('bypasspermissions', 'dontask', 'yolo', 'full-auto', 'danger-full-access')
        and ($since is null or first_event_at >= $since)
        and not exists (
            select 1
            from bypassed
            where bypassed.session_id = v_sessions.session_id
        )
),

found as (
    select position, session_id, intent_id, agent_name, started_at, permission_mode
    from bypassed
    where nth = 1
    union all
    select position, session_id, intent_id, agent_name, started_at, permission_mode
    from declared
)

select
    found.position,
    cast(null as varchar) as path,
    cast(null as bigint) as line,
    cast(null as bigint) as end_line,
    found.session_id || ' ' || lower(found.permission_mode) as anchor,
    found.session_id,
    found.intent_id,
    found.agent_name,
    events.event_id,
    found.started_at as occurred_at,
    found.permission_mode
from found
left join v_events as events on events.position = found.position
order by found.position, found.permission_mode;
