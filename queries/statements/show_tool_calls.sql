-- Calls of tools for one prompt.
select position as seq, started_at, tool_name, path, command, status
from v_tool_calls
where prompt_id = $id
order by position;
