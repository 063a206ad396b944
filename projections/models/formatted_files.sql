-- one row is one file that a formatter wrote anew, and the change before it: the write that it put in form
-- needs: mutation_files, tool_requests
with
formatted as (
    select files.*, calls.command as command
    from mutation_files as files
    inner join tool_requests as calls
        on calls.tool_call_id = files.tool_call_id and calls.session_id is not distinct from files.session_id
    where calls.formats and files.op = 'modify' and coalesce(files.part, 1) = 1
),

-- a formatter after a formatter puts the same write in form
written as (
    select
        formatted.position as position,
        formatted.path as path,
        max_by(files.event_id, files.position) as event_id
    from formatted
    inner join mutation_files as files on files.path = formatted.path and files.position < formatted.position
    where files.event_id not in (select event_id from formatted)
    group by formatted.position, formatted.path
)

select
    formatted.position as position,
    formatted.event_id as mutation_id,
    formatted.occurred_at as occurred_at,
    formatted.session_id as session_id,
    formatted.tool_call_id as tool_call_id,
    formatted.command as command,
    formatted.path as path,
    written.event_id as written_mutation_id
from formatted
inner join written on written.position = formatted.position and written.path = formatted.path;
