-- One row is one call of a tool.
-- words: call, invocation
-- figures: seconds
-- words operation=shell: command
-- words operation=read: read
-- verbs: fetch, download, run, ran, use, call, execute, fail, invoke, make, made, finish, attempt, perform, issue
-- status=failed: fail, failed, failing, failure, error, unsuccessful, crash, break, broke, broken
-- status=completed: complete, completed, succeed, successful
-- status=unfinished: unfinished, unended, open, hanging
-- status=interrupted: interrupt
-- operation=shell: shell, terminal
-- operation=read: read
-- operation=write: write
-- operation=edit: edit
-- exit=nonzero: nonzero
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
    case when calls.exit_code <> 0 then 'nonzero' when calls.exit_code = 0 then 'zero' end as exit,
    calls.error_type as error,
    calls.error_message as reason,
    calls.duration_ms / 1000.0 as seconds
from v_tool_calls as calls
left join v_sessions as sessions on sessions.session_id = calls.session_id
