-- Which files were changed by a command and not by an edit tool?
-- control: ASI05
-- asked as: file changed shell, changed by command, changed shell alternative tool, shell command wrote, written shell, shell side write
-- how many: shell side write
-- topic: changes
-- param since?: only from this moment on
-- columns: command, path, lines_added, lines_deleted, op, occurred_at, agent_name, session_id, tool_call_id, mutation_id
-- what a command changed is found by looking at the files afterwards; a file that no hook had time for comes up later, in
-- unobserved_changes. command null: the call that did it is not known
with
changed as (
    select
        mutation_id,
        path,
        min(position) as position,
        max(op) as op,
        max(occurred_at) as occurred_at,
        max(agent_name) as agent_name,
        max(session_id) as session_id,
        max(tool_call_id) as tool_call_id,
        cast(sum(lines_added) as bigint) as lines_added,
        cast(sum(lines_deleted) as bigint) as lines_deleted
    from v_mutations
    where via = 'shell' and ($since is null or occurred_at >= $since)
    group by mutation_id, path
)

select
    calls.command,
    changed.path,
    changed.lines_added,
    changed.lines_deleted,
    changed.op,
    changed.occurred_at,
    changed.agent_name,
    changed.session_id,
    changed.tool_call_id,
    changed.mutation_id
from changed
left join v_tool_calls as calls
    on calls.tool_call_id = changed.tool_call_id and calls.session_id = changed.session_id
order by changed.position, changed.path;
