-- One tool call
select tool_call_id, tool_name, operation_name, command, agent_type, status, started_at
from tool_calls
where tool_call_id = $tool_call_id and session_id = $session_id
