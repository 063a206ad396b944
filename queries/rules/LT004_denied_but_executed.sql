-- Something was denied, and it happened all the same
-- id: LT004
-- level: high
-- control: ASI10, CC7.2
-- message: {what} since {rule_id} denied it ({via})
-- remedy: linetrail show {verdict_id}; then look at the change, and at how it came about: linetrail show {event_id}
-- why: Hooks are a guard rail, not a boundary. Where bytes changed after a refusal, something went around it.
-- example: An edit of `.github/workflows/ci.yml` is denied; a minute later a shell command writes the file.
-- silent: where somebody said yes in between, and where a person made the change by hand
-- rows of: v_verdicts, v_violations
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at
-- columns: verdict_id, rule_id, via, what
with
ranked as (
    select
        *,
        row_number() over (
            partition by mutation_id, path
            order by denied_position desc
        ) as nearest
    from v_denied_changes
),

changed as (
    select
        ranked.position,
        ranked.path,
        mutations.start_line as line,
        mutations.end_line,
        coalesce(mutations.content_hash, ranked.after_hash, ranked.before_hash) as anchor,
        ranked.session_id,
        ranked.intent_id,
        ranked.agent_name,
        ranked.mutation_id as event_id,
        ranked.occurred_at,
        ranked.verdict_id,
        coalesce(ranked.rule_id, ranked.reason_code, ranked.source) as rule_id,
        ranked.via,
        ranked.path || ' has other bytes' as what
    from ranked
    inner join v_mutations as mutations
        on mutations.mutation_id = ranked.mutation_id and mutations.path = ranked.path and coalesce(mutations.part, 1) = 1
    where ranked.nearest = 1
),

-- what the hook itself found out, where no file shows it
violated as (
    select
        violations.position,
        violations.path,
        cast(null as bigint) as line,
        cast(null as bigint) as end_line,
        coalesce(violations.found_hash, violations.tool_call_id, violations.path) as anchor,
        violations.session_id,
        violations.intent_id,
        violations.agent_name,
        violations.violation_id as event_id,
        violations.occurred_at,
        violations.verdict_id,
        coalesce(violations.rule_id, 'the gate') as rule_id,
        'seen by the hook' as via,
        coalesce(violations.path || ' was written', violations.tool_name || ' ran', 'a call ran') as what
    from v_violations as violations
    where
        violations.reason_code = 'DENIED_BUT_EXECUTED'
        and not exists (
            select 1
            from ranked
            where ranked.verdict_id = violations.verdict_id
        )
),

found as (
    select *
    from changed
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
    verdict_id,
    rule_id,
    via,
    what
from found
where $since is null or occurred_at >= $since
order by position, path;
