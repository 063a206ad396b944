-- What happened is not what the gate had decided
-- id: LT015
-- level: medium
-- control: CC7.2, ASI10
-- message: {code}: {reason}
-- remedy: linetrail show {event_id}; linetrail explain {code}
-- why: Each of these is a way around the gate, taken on purpose or by accident.
-- example: A tool wrote a file, and no hook was asked about it before.
-- silent: for what has a rule of its own: LT001, LT002, LT004, LT007, LT010, LT020
-- rows of: v_violations
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at, code, reason
select
    position,
    path,
    cast(null as bigint) as line,
    cast(null as bigint) as end_line,
    reason_code || ' ' || coalesce(found_hash, tool_call_id, violation_id) as anchor,
    session_id,
    intent_id,
    agent_name,
    violation_id as event_id,
    occurred_at,
    reason_code as code,
    reason
from v_violations
where
    reason_code not in (
        'OUT_OF_SCOPE',
        'PROTECTED_PATH',
        'DENIED_BUT_EXECUTED',
        'STALE_WRITE',
        'GATE_CHANGED',
        'PLACE_SWAPPED',
        'CONSTRAINT_VIOLATED'
    )
    and ($since is null or occurred_at >= $since)
order by position;
