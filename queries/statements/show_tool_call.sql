-- One call of a tool.
select *
from v_tool_calls
where tool_call_id = $id;
