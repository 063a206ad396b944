-- One row is one call of a tool.
-- words: call, invocation
-- figures: seconds
select
    calls.tool_call_id as id,
    calls.started_at as happened_at,
    calls.agent_name as agent,
    coalesce(calls.model_id, sessions.model_id) as model,
    calls.intent_id as intent,
    calls.session_id as session,
    'ai' as contributor,
    calls.agent_name as who,
    calls.path as file,
    calls.tool_name as tool,
    calls.agent_type as subagent,
    calls.operation_name as operation,
    calls.command as program,
    coalesce(calls.command, calls.tool_name || coalesce(' ' || calls.path, '')) as what,
    case when calls.interrupted then 'interrupted' else coalesce(calls.status, 'unfinished') end as status,
    calls.error_type as error,
    calls.error_message as reason,
    calls.duration_ms / 1000.0 as seconds
from v_tool_calls as calls
left join v_sessions as sessions on sessions.session_id = calls.session_id
