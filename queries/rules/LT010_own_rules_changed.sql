-- An agent changed the rules or the memory that steer it
-- id: LT010
-- level: high
-- control: ASI06
-- message: {agent_name} changed {path}, which steers agents
-- remedy: linetrail show {event_id}; a person reviews the change: git log -p -- {path}
-- why: What steers the next session was written by the last one. Nobody else may have read it.
-- example: A session adds "tests may be skipped" to `CLAUDE.md`, or a command to `.claude/settings.json`.
-- silent: for what people write there by hand
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at
select
    position,
    coalesce(path, '.orchestration/config.yaml') as path,
    start_line as line,
    end_line,
    coalesce(found_hash, path) as anchor,
    session_id,
    intent_id,
    agent_name,
    event_id,
    occurred_at
from v_protected_writes
where
    case
        when protected_as in ('agent', 'gate') then found_by = 'mutation' or not recorded
        -- what the gate goes by was changed while a call ran
        else coalesce(reason_code = 'GATE_CHANGED', false)
    end
    and ($since is null or occurred_at >= $since)
order by position, path;
