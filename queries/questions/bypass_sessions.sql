-- Which sessions ran with permissions bypassed?
-- control: ASI03
-- asked as: bypass permission, without permission, dangerously skip, dangerously skip permission, yolo mode, run|ran yolo mode
-- how many: session
-- topic: the gate, and what went past it
-- param since?: only calls from this moment on
-- param until?: only calls before this moment
-- columns: session_id, permission_mode, mutations, tool_calls, agent_name, human_id, first_at, last_at
-- by what the agent said at each call, else when the session began; mutations: changes by calls in that mode
with
calls as (
    select
        calls.session_id as session_id,
        calls.tool_call_id as tool_call_id,
        calls.started_at as started_at,
        coalesce(calls.permission_mode, sessions.permission_mode) as permission_mode
    from v_tool_calls as calls
    inner join v_sessions as sessions on sessions.session_id = calls.session_id
    where ($since is null or calls.started_at >= $since) and ($until is null or calls.started_at < $until)
),

bypassed as (
    select session_id, tool_call_id, started_at, permission_mode
    from calls
    where
        lower(permission_mode) in ('bypasspermissions', 'dontask', 'yolo', 'auto', 'full-auto', 'danger-full-access')
),

changed as (
    select
        bypassed.session_id as session_id,
        bypassed.permission_mode as permission_mode,
        count(distinct mutations.mutation_id) as mutations
    from bypassed
    inner join v_mutations as mutations
        on mutations.session_id = bypassed.session_id and mutations.tool_call_id = bypassed.tool_call_id
    group by bypassed.session_id, bypassed.permission_mode
),

counted as (
    select
        session_id,
        permission_mode,
        count(*) as tool_calls,
        min(started_at) as first_at,
        max(started_at) as last_at
    from bypassed
    group by session_id, permission_mode
)

select
    counted.session_id,
    counted.permission_mode,
    coalesce(changed.mutations, 0) as mutations,
    counted.tool_calls,
    sessions.agent_name,
    sessions.human_id,
    counted.first_at,
    counted.last_at
from counted
inner join v_sessions as sessions on sessions.session_id = counted.session_id
left join changed on changed.session_id = counted.session_id and changed.permission_mode = counted.permission_mode
order by counted.first_at nulls last, counted.session_id, counted.permission_mode;
