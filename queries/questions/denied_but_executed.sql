-- What was denied, and did it happen anyway?
-- control: ASI10, CC7.2
-- asked as: ignore denial|refusal, went ahead denied|refused|blocked, denied executed, denied happened anyway, denied anyway, denied still ran, refused anyway
-- asked as: denied all the same refused executed, blocked anyway
-- topic: the gate, and what went past it
-- param since?: only verdicts from this moment on
-- columns: tool_call_id, path, verdict, pre_hash, post_hash, source, rule_id, reason_code, via, session_id, verdict_id, mutation_id, occurred_at
-- a file that a denied call names and that is another one later in the same session, with nothing on it let through in
-- between; order is that of the ledger. A person's own change is not counted, nor a denial that was only noted
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
    select verdicts.*, named.path as path
    from v_verdicts as verdicts
    inner join named on named.verdict_id = verdicts.verdict_id
    where
        verdicts.verdict = 'deny'
        and coalesce(verdicts.enforced, true)
        and ($since is null or verdicts.occurred_at >= $since)
),

-- also what was only noted, and what a person was asked about: it ran, so the answer was yes
let_through as (
    select verdicts.position as position, verdicts.session_id as session_id, named.path as path
    from v_verdicts as verdicts
    inner join named on named.verdict_id = verdicts.verdict_id
    where
        (verdicts.verdict <> 'deny' or not coalesce(verdicts.enforced, true))
        and verdicts.reason_code is distinct from 'READS_ONLY'
)

select
    denied.tool_call_id,
    denied.path,
    denied.verdict,
    changed.pre_hash,
    changed.post_hash,
    denied.source,
    denied.rule_id,
    denied.reason_code,
    changed.via,
    denied.session_id,
    denied.verdict_id,
    changed.mutation_id,
    changed.occurred_at
from denied
inner join v_mutations as changed
    on changed.session_id = denied.session_id
    and changed.path = denied.path
    and changed.position > denied.position
where
    changed.via <> 'human'
    and changed.pre_hash is distinct from changed.post_hash
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
order by denied.position, denied.path, changed.position;
