-- A file was written that the intent of the work does not own
-- id: LT001
-- level: high
-- control: ASI02, CC6.1
-- message: {path} is outside the scope of {intent_id}, which allows {allowed}
-- remedy: linetrail intents show {intent_id}; add the path to its scope, or undo the change
-- why: A scope is what a person agreed to. What lies outside it was read by nobody who expected it to change.
-- example: INT-0031 owns `src/auth/**`, and its agent also edits `src/billing/tax.py`.
-- silent: for files that .orchestration/.intentignore exempts, for those of a role, and for calls that a person approved
-- rows of: v_intent_history, v_violations
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at, allowed
with
let_through as (
    select session_id, tool_call_id
    from v_verdicts
    where verdict = 'allow' and reason_code in ('APPROVED', 'EXEMPT', 'IN_ROLE') and tool_call_id is not null
),

outside as (
    select
        position,
        path,
        start_line as line,
        end_line,
        coalesce(content_hash, after_hash, before_hash) as anchor,
        session_id,
        intent_id,
        agent_name,
        tool_call_id,
        mutation_id as event_id,
        occurred_at
    from v_mutations
    where in_scope = false and contributor_type = 'ai' and coalesce(part, 1) = 1
),

-- of what the ledger's history of intents does not tell
violated as (
    select
        position,
        path,
        cast(null as bigint) as line,
        cast(null as bigint) as end_line,
        coalesce(found_hash, path) as anchor,
        session_id,
        intent_id,
        agent_name,
        tool_call_id,
        violation_id as event_id,
        occurred_at
    from v_violations
    where
        reason_code = 'OUT_OF_SCOPE'
        and not exists (
            select 1
            from outside
            where
                outside.session_id = v_violations.session_id
                and outside.tool_call_id = v_violations.tool_call_id
                and outside.path = v_violations.path
        )
),

found as (
    select *
    from outside
    union all
    select *
    from violated
)

select
    found.position,
    found.path,
    found.line,
    found.end_line,
    found.anchor,
    found.session_id,
    found.intent_id,
    found.agent_name,
    found.event_id,
    found.occurred_at,
    coalesce(
        replace(replace(replace(cast(intents.scope as varchar), '["', ''), '"]', ''), '","', ', '),
        'nothing that is known'
    ) as allowed
from found
left join v_intents as intents on intents.intent_id = found.intent_id
where
    ($since is null or found.occurred_at >= $since)
    and not exists (
        select 1
        from let_through
        where let_through.session_id = found.session_id and let_through.tool_call_id = found.tool_call_id
    )
order by found.position, found.path;
