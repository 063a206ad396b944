-- An agent made the same call again and again
-- id: LT018
-- level: low
-- control: ASI08
-- message: {agent_name} made the same call of {tool_name} {repeats} times: {example}
-- remedy: linetrail log --session {session_id}; linetrail gate status tells whether it had to stop
-- why: A loop spends money and hides what went wrong at its beginning.
-- example: The same failing test run, eight times in a session.
-- silent: below five repetitions, and for calls that only read
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at, tool_name, repeats, example
with
repeated as (
    select
        session_id,
        tool_name,
        input_hash,
        max(position) as last_position,
        count(*) as repeats
    from v_tool_calls
    where
        input_hash is not null
        and coalesce(operation_name, '') <> 'read'
        and ($since is null or started_at >= $since)
    group by session_id, tool_name, input_hash
    having count(*) >= 5
)

select
    repeated.last_position as position,
    calls.path,
    cast(null as bigint) as line,
    cast(null as bigint) as end_line,
    repeated.session_id || ' ' || repeated.input_hash as anchor,
    repeated.session_id,
    calls.intent_id,
    calls.agent_name,
    events.event_id,
    calls.started_at as occurred_at,
    repeated.tool_name,
    repeated.repeats,
    coalesce(calls.command, calls.path, repeated.input_hash) as example
from repeated
inner join v_tool_calls as calls on calls.position = repeated.last_position
left join v_events as events on events.position = repeated.last_position
order by repeated.last_position;
