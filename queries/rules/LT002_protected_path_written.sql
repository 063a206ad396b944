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
        and guarded.protected_as in ('git', 'ci', 'hooks', 'policy', 'secrets')
),

-- what a command changed beside what it said
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
        violations.reason_code = 'PROTECTED_PATH'
        and coalesce(guarded.protected_as, 'git') not in ('agent', 'gate')
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
    path,
    line,
    end_line,
    anchor,
    session_id,
    intent_id,
    agent_name,
    event_id,
    occurred_at,
    protected_as
from found
where $since is null or occurred_at >= $since
order by position, path;
