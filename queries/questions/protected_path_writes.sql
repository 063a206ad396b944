-- Were paths written that only people should change: CI, secrets, hooks, policy, the ledger?
-- control: CC6.1, ASI04
-- asked as: protected path, protected file written, ci secrets written, ci|workflow|pipeline write|change|modify|edit|touch agent|ai
-- topic: changes
-- param since?: only from this moment on
-- columns: path, session_id, verdict, protected_as, found_by, agent_name, via, occurred_at, mutation_id, tool_call_id
-- found_by mutation: the file was seen to change; violation: the gate found it out afterwards.
-- verdict: the last one on the call before it; null: nobody was asked. What people or git changed is not here
with
written as (
    select
        mutations.path as path,
        mutations.session_id as session_id,
        guarded.protected_as as protected_as,
        'mutation' as found_by,
        mutations.agent_name as agent_name,
        mutations.via as via,
        mutations.occurred_at as occurred_at,
        mutations.mutation_id as mutation_id,
        mutations.tool_call_id as tool_call_id,
        mutations.position as position,
        mutations.mutation_id as found_id
    from v_mutations as mutations
    inner join v_protected_paths as guarded on guarded.path = mutations.path
    where
        mutations.contributor_type = 'ai'
        and coalesce(mutations.part, 1) = 1
        and ($since is null or mutations.occurred_at >= $since)
    union all
    select
        violations.path,
        violations.session_id,
        coalesce(guarded.protected_as, 'gate'),
        'violation',
        violations.agent_name,
        null,
        violations.occurred_at,
        null,
        violations.tool_call_id,
        violations.position,
        violations.violation_id
    from v_violations as violations
    left join v_protected_paths as guarded on guarded.path = violations.path
    where
        violations.reason_code in ('PROTECTED_PATH', 'GATE_CHANGED')
        and ($since is null or violations.occurred_at >= $since)
),

judged as (
    select
        written.found_id as found_id,
        written.path as path,
        verdicts.verdict as verdict,
        row_number() over (partition by written.found_id, written.path order by verdicts.position desc) as nth
    from written
    inner join v_verdicts as verdicts
        on verdicts.tool_call_id = written.tool_call_id
        and verdicts.session_id = written.session_id
        and verdicts.position < written.position
)

select
    written.path,
    written.session_id,
    judged.verdict,
    written.protected_as,
    written.found_by,
    written.agent_name,
    written.via,
    written.occurred_at,
    written.mutation_id,
    written.tool_call_id
from written
left join judged
    on judged.found_id = written.found_id and judged.path is not distinct from written.path and judged.nth = 1
order by written.position, written.path nulls last;
