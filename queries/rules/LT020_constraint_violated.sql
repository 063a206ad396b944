-- A change broke a constraint of its intent, or its place was swapped while it was written
-- id: LT020
-- level: high
-- control: ASI02, CC8.1
-- message: {code}: {reason}
-- remedy: linetrail show {event_id}; undo the change, or change the constraint: linetrail intents show {intent_id}
-- why: Constraints are what had to stay true. A folder that turns into a link between check and write makes any scope void.
-- example: INT-0031 forbids `eval(`, and a shell command appends a line that holds it.
-- silent: for what the gate refused before it was made
-- rows of: v_violations
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at, code, reason
select
    position,
    path,
    cast(null as bigint) as line,
    cast(null as bigint) as end_line,
    reason_code || ' ' || coalesce(rule_id, '') || ' ' || coalesce(found_hash, path, violation_id) as anchor,
    session_id,
    intent_id,
    agent_name,
    violation_id as event_id,
    occurred_at,
    reason_code as code,
    reason
from v_violations
where
    reason_code in ('PLACE_SWAPPED', 'CONSTRAINT_VIOLATED')
    and ($since is null or occurred_at >= $since)
order by position;
