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
with
written as (
    select
        changed.position,
        changed.path,
        changed.start_line as line,
        changed.end_line,
        coalesce(changed.content_hash, changed.after_hash, changed.before_hash) as anchor,
        changed.session_id,
        changed.intent_id,
        changed.agent_name,
        changed.tool_call_id,
        changed.mutation_id as event_id,
        changed.occurred_at,
        guarded.protected_as
    from v_mutations as changed
    inner join v_protected_paths as guarded on guarded.path = changed.path
    where
        changed.contributor_type = 'ai'
        and coalesce(changed.part, 1) = 1
        and guarded.protected_as in ('agent', 'gate')
),

-- what the gate goes by was changed while a call ran
violated as (
    select
        violations.position,
        violations.path,
        cast(null as bigint) as line,
        cast(null as bigint) as end_line,
        coalesce(violations.found_hash, violations.path) as anchor,
        violations.session_id,
        violations.intent_id,
        violations.agent_name,
        violations.tool_call_id,
        violations.violation_id as event_id,
        violations.occurred_at,
        coalesce(guarded.protected_as, 'gate') as protected_as
    from v_violations as violations
    left join v_protected_paths as guarded on guarded.path = violations.path
    where
        (
            violations.reason_code = 'GATE_CHANGED'
            or (violations.reason_code = 'PROTECTED_PATH' and guarded.protected_as in ('agent', 'gate'))
        )
        and not exists (
            select 1
            from written
            where
                written.session_id = violations.session_id
                and written.tool_call_id = violations.tool_call_id
                and written.path = violations.path
        )
),

found as (
    select *
    from written
    union all
    select *
    from violated
)

select
    position,
    coalesce(path, '.orchestration/config.yaml') as path,
    line,
    end_line,
    anchor,
    session_id,
    intent_id,
    agent_name,
    event_id,
    occurred_at
from found
where $since is null or occurred_at >= $since
order by position, path;
