-- A path was written that decides what runs or what is secret
-- id: LT002
-- level: high
-- control: CC6.1, ASI04, SSDF PO.5
-- message: {path} ({protected_as}) was written by {agent_name}: it decides what runs here, or who may see what
-- remedy: linetrail show {event_id}; let the owner of the file review it
-- why: Pipelines, hooks, keys and lists of owners decide what happens to everything else. A change there reaches further than its lines.
-- example: An agent adds a step to `.github/workflows/release.yml` while it repairs a test.
-- silent: for the settings and memory of agents, which LT010 looks at
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at, protected_as
select
    position,
    path,
    start_line as line,
    end_line,
    coalesce(found_hash, path) as anchor,
    session_id,
    intent_id,
    agent_name,
    event_id,
    occurred_at,
    coalesce(protected_as, 'gate') as protected_as
from v_protected_writes
where
    coalesce(protected_as, 'git') not in ('agent', 'gate')
    -- what a command changed beside what it said
    and (found_by = 'mutation' or (reason_code = 'PROTECTED_PATH' and not recorded))
    and ($since is null or occurred_at >= $since)
order by position, path;
