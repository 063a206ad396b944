-- Were paths written that only people should change: CI, secrets, hooks, policy, the ledger?
-- control: CC6.1, ASI04
-- asked as: protected path, protected file written, ci secrets written, ci|workflow|pipeline write|change|modify|edit|touch agent|ai
-- how many: write
-- topic: changes
-- param since?: only from this moment on
-- columns: path, session_id, verdict, protected_as, found_by, agent_name, via, occurred_at, mutation_id, tool_call_id
-- found_by mutation: the file was seen to change; violation: the gate found it out afterwards.
-- verdict: the last one on the call before it; null: nobody was asked. What people or git changed is not here
with
judged as (
    select
        written.event_id as event_id,
        written.path as path,
        verdicts.verdict as verdict,
        row_number() over (partition by written.event_id, written.path order by verdicts.position desc) as nth
    from v_protected_writes as written
    inner join v_verdicts as verdicts
        on verdicts.tool_call_id = written.tool_call_id
        and verdicts.session_id = written.session_id
        and verdicts.position < written.position
)

select
    written.path,
    written.session_id,
    judged.verdict,
    coalesce(written.protected_as, 'gate') as protected_as,
    written.found_by,
    written.agent_name,
    written.via,
    written.occurred_at,
    case written.found_by when 'mutation' then written.event_id end as mutation_id,
    written.tool_call_id
from v_protected_writes as written
left join judged
    on judged.event_id = written.event_id and judged.path is not distinct from written.path and judged.nth = 1
where $since is null or written.occurred_at >= $since
order by written.position, written.path nulls last;
