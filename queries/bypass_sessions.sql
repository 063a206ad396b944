-- Which sessions ran with permissions bypassed?
-- param since?: only calls from this moment on
-- columns: session_id, agent_name, permission_mode, tool_calls, mutations, first_at, last_at
with
bypassed as (
    select
        session_id,
        permission_mode,
        count(*) as tool_calls,
        min(started_at) as first_at,
        max(started_at) as last_at
    from v_tool_calls
    where
        lower(permission_mode) in ('bypasspermissions', 'dontask', 'yolo', 'auto', 'full-auto', 'danger-full-access')
        and ($since is null or started_at >= cast($since as timestamp))
    group by session_id, permission_mode
)

select
    bypassed.session_id,
    sessions.agent_name,
    bypassed.permission_mode,
    bypassed.tool_calls,
    sessions.mutations,
    bypassed.first_at,
    bypassed.last_at
from bypassed
inner join v_sessions as sessions on sessions.session_id = bypassed.session_id
order by bypassed.first_at, bypassed.session_id, bypassed.permission_mode;
