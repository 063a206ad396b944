-- What was denied, and did it happen anyway?
-- param since?: only verdicts from this moment on
-- columns: verdict_id, tool_call_id, path, source, rule_id, via, before_hash, after_hash, mutation_id
with
denied as (
    select
        verdicts.position as position,
        verdicts.verdict_id as verdict_id,
        verdicts.tool_call_id as tool_call_id,
        verdicts.source as source,
        verdicts.rule_id as rule_id,
        calls.session_id as session_id,
        calls.path as path
    from v_verdicts as verdicts
    inner join v_tool_calls as calls
        on calls.tool_call_id = verdicts.tool_call_id and calls.session_id = verdicts.session_id
    where
        verdicts.verdict = 'deny'
        and coalesce(verdicts.enforced, true)
        and calls.path is not null
        and ($since is null or verdicts.occurred_at >= cast($since as timestamp))
),

let_through as (
    select verdicts.position as position, calls.session_id as session_id, calls.path as path
    from v_verdicts as verdicts
    inner join v_tool_calls as calls
        on calls.tool_call_id = verdicts.tool_call_id and calls.session_id = verdicts.session_id
    -- also what was only noted, and what a person was asked about: it ran, so the answer was yes
    where verdicts.verdict <> 'deny' or not coalesce(verdicts.enforced, true)
)

select
    denied.verdict_id,
    denied.tool_call_id,
    denied.path,
    denied.source,
    denied.rule_id,
    changed.via,
    changed.before_hash,
    changed.after_hash,
    changed.mutation_id
from denied
inner join v_mutations as changed
    on changed.session_id = denied.session_id
    and changed.path = denied.path
    and changed.position > denied.position
where
    changed.via <> 'human'
    and changed.before_hash is distinct from changed.after_hash
    and coalesce(changed.part, 1) = 1
    and not exists (
        select 1
        from let_through
        where
            let_through.session_id = denied.session_id
            and let_through.path = denied.path
            and let_through.position > denied.position
            and let_through.position < changed.position
    )
order by denied.position, changed.position;
