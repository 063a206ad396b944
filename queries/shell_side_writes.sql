-- Which files were changed by a command and not by an edit tool?
-- param since?: only from this moment on
-- columns: occurred_at, command, path, op, lines_added, lines_deleted, session_id, mutation_id
select
    changed.occurred_at,
    calls.command,
    changed.path,
    changed.op,
    changed.lines_added,
    changed.lines_deleted,
    changed.session_id,
    changed.mutation_id
from v_mutations as changed
left join v_tool_calls as calls
    on calls.tool_call_id = changed.tool_call_id and calls.session_id = changed.session_id
where changed.via = 'shell' and ($since is null or changed.occurred_at >= cast($since as timestamp))
order by changed.position, changed.path;
