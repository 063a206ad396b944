-- A write began from a state of the file that the agent had not seen
-- id: LT007
-- level: medium
-- control: ASI08
-- message: {path} was written over a version that {agent_name} never read
-- remedy: linetrail show {event_id}; compare the file with what stood there before, git log -p -- {path}
-- why: Writing over a version that was never read loses somebody else's change without a trace.
-- example: A person repairs a line while an agent, which read the file before, writes it as a whole.
-- silent: where the write was refused and did not happen
-- rows of: v_verdicts, v_violations
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at
select
    position,
    path,
    cast(null as bigint) as line,
    cast(null as bigint) as end_line,
    coalesce(found_hash, expected_hash, case found_by when 'verdict' then event_id else path end) as anchor,
    session_id,
    intent_id,
    agent_name,
    event_id,
    occurred_at
from v_stale_writes
where $since is null or occurred_at >= $since
order by position, path;
