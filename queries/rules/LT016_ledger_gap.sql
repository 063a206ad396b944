-- The ledger is damaged, or tells itself that something is missing from it
-- id: LT016
-- level: high
-- control: SSDF PS.1, SSDF PS.2, CC7.2
-- message: {detail}
-- remedy: linetrail verify; linetrail restore brings sealed segments back
-- why: Every other answer is only as good as the record that it follows from.
-- example: A rebase drops a commit that carried a segment, or an editor rewrites a line of the ledger.
-- silent: for a last line that was never acknowledged
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at, detail
select
    position,
    '.orchestration/agent_trace.jsonl' as path,
    cast(null as bigint) as line,
    cast(null as bigint) as end_line,
    event_id as anchor,
    session_id,
    intent_id,
    agent_name,
    event_id,
    occurred_at,
    'lines that were acknowledged are gone, as the ledger itself says' as detail
from v_events
where event_type = 'ledger.lost' and ($since is null or occurred_at >= $since)
order by position;
