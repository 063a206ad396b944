-- Something that looks like a secret was handed to an agent or a command
-- id: LT014
-- level: low
-- control: CC6.7
-- message: a {event_type} held what looks like a secret: {mark}
-- remedy: linetrail show {event_id}; replace the secret where it is valid, whoever has read it
-- why: It was taken out before the ledger kept it, but the agent, its provider and a shell's history have seen it.
-- example: A person pastes a connection string with its password into a prompt.
-- silent: for contents of files, of which the ledger keeps hashes alone
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at, event_type, mark
with
marked as (
    select *, cast(payload as varchar) as said
    from v_events
    where cast(payload as varchar) like '%[redacted:%'
),

begun as (
    select *, substr(said, instr(said, '[redacted:')) as rest
    from marked
)

select
    position,
    path,
    cast(null as bigint) as line,
    cast(null as bigint) as end_line,
    substr(rest, 1, instr(rest, ']')) as anchor,
    session_id,
    intent_id,
    agent_name,
    event_id,
    occurred_at,
    event_type,
    substr(rest, 1, instr(rest, ']')) as mark
from begun
where $since is null or occurred_at >= $since
order by position;
