-- Something was denied, and it happened all the same
-- id: LT004
-- level: high
-- control: ASI10, CC7.2
-- message: {what} since {rule_id} denied it ({via})
-- remedy: linetrail show {verdict_id}; then look at the change, and at how it came about: linetrail show {event_id}
-- why: Hooks are a guard rail, not a boundary. Where bytes changed after a refusal, something went around it.
-- example: An edit of `.github/workflows/ci.yml` is denied; a minute later a shell command writes the file.
-- silent: where somebody said yes in between, and where a person made the change by hand
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at
-- columns: verdict_id, rule_id, via, what
with
named as (
    select verdict_id, path
    from v_judged_paths
    where path is not null
    union
    select verdicts.verdict_id, calls.path
    from v_verdicts as verdicts
    inner join v_tool_calls as calls
        on calls.tool_call_id = verdicts.tool_call_id and calls.session_id = verdicts.session_id
    where calls.path is not null
),

denied as (
    select
        verdicts.position as position,
        verdicts.verdict_id as verdict_id,
        coalesce(verdicts.rule_id, verdicts.reason_code, verdicts.source) as rule_id,
        verdicts.session_id as session_id,
        named.path as path
    from v_verdicts as verdicts
    inner join named on named.verdict_id = verdicts.verdict_id
    where verdicts.verdict = 'deny' and coalesce(verdicts.enforced, true)
),

-- also what was only noted, and what a person was asked about: it ran, so the answer was yes
let_through as (
    select verdicts.position as position, verdicts.session_id as session_id, named.path as path
    from v_verdicts as verdicts
    inner join named on named.verdict_id = verdicts.verdict_id
    where
        (verdicts.verdict <> 'deny' or not coalesce(verdicts.enforced, true))
        and verdicts.reason_code is distinct from 'READS_ONLY'
),

changed as (
    select
        mutations.position,
        mutations.path,
        mutations.start_line as line,
        mutations.end_line,
        coalesce(mutations.content_hash, mutations.after_hash, mutations.before_hash) as anchor,
        mutations.session_id,
        mutations.intent_id,
        mutations.agent_name,
        mutations.mutation_id as event_id,
        mutations.occurred_at,
        denied.verdict_id,
        denied.rule_id,
        mutations.via,
        mutations.path || ' has other bytes' as what,
        row_number() over (
            partition by mutations.position, mutations.path
            order by denied.position desc
        ) as nearest
    from denied
    inner join v_mutations as mutations
        on mutations.session_id = denied.session_id
        and mutations.path = denied.path
        and mutations.position > denied.position
    where
        mutations.via <> 'human'
        and mutations.before_hash is distinct from mutations.after_hash
        and coalesce(mutations.part, 1) = 1
        and not exists (
            select 1
            from let_through
            where
                let_through.session_id = denied.session_id
                and let_through.path = denied.path
                and let_through.position > denied.position
                and let_through.position < mutations.position
        )
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
            from changed
            where changed.verdict_id = violations.verdict_id
        )
),

found as (
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
    from changed
    where nearest = 1
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
