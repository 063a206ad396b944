-- one row is one file that a call was denied, and that is another one later in the same session
-- needs: verdicts, judged_paths, tool_calls, mutation_files
-- with nothing on it let through in between, in the order of the ledger. A person's own change is not counted, nor a
-- denial that was only noted
with
named as (
    select verdict_id, path
    from judged_paths
    where path is not null
    union
    select verdicts.verdict_id, calls.path
    from verdicts
    inner join tool_calls as calls
        on calls.tool_call_id = verdicts.tool_call_id and calls.session_id = verdicts.session_id
    where calls.path is not null
),

judged as (
    select verdicts.*, named.path as path
    from verdicts
    inner join named on named.verdict_id = verdicts.verdict_id
),

denied as (
    select *
    from judged
    where verdict = 'deny' and coalesce(enforced, true)
),

-- also what was only noted, and what a person was asked about: it ran, so the answer was yes
let_through as (
    select *
    from judged
    where (verdict <> 'deny' or not coalesce(enforced, true)) and reason_code is distinct from 'READS_ONLY'
)

select
    changed.position as position,
    changed.event_id as mutation_id,
    changed.occurred_at as occurred_at,
    changed.path as path,
    changed.session_id as session_id,
    changed.intent_id as intent_id,
    changed.agent_name as agent_name,
    changed.via as via,
    coalesce(changed.before_hash, changed.said_before_hash) as before_hash,
    coalesce(changed.after_hash, changed.said_after_hash) as after_hash,
    denied.position as denied_position,
    denied.occurred_at as denied_at,
    denied.verdict_id as verdict_id,
    denied.tool_call_id as tool_call_id,
    denied.source as source,
    denied.rule_id as rule_id,
    denied.reason_code as reason_code
from denied
inner join mutation_files as changed
    on changed.session_id = denied.session_id
    and changed.path = denied.path
    and changed.position > denied.position
where
    changed.via <> 'human'
    and coalesce(changed.before_hash, changed.said_before_hash)
    is distinct from coalesce(changed.after_hash, changed.said_after_hash)
    and coalesce(changed.part, 1) = 1
    and not exists (
        select 1
        from let_through
        where
            let_through.session_id = denied.session_id
            and let_through.path = denied.path
            and let_through.position > denied.position
            and let_through.position < changed.position
    );
