-- Which writes began from a state of the file that the agent had not seen?
-- asked as: file changed between|meanwhile write|wrote, stale write, had not seen, outdated version write, write over unseen
-- topic: changes
-- param since?: only from this moment on
-- columns: mutation_id, path, expected_hash, found_hash, occurred_at, session_id, intent_id, tool_name, tool_call_id, evidence, event_id
-- evidence violation: found out afterwards; verdict: known before, only noted, and the call ran. mutation_id null: the
-- change itself was not recorded
with
-- found out afterwards
violated as (
    select
        position,
        occurred_at,
        path,
        session_id,
        intent_id,
        tool_name,
        tool_call_id,
        expected_hash,
        found_hash,
        'violation' as evidence,
        violation_id as event_id
    from v_violations
    where reason_code = 'STALE_WRITE'
),

-- known before, and only noted
noted as (
    select
        verdicts.position as position,
        verdicts.occurred_at as occurred_at,
        coalesce(judged.path, calls.path) as path,
        verdicts.session_id as session_id,
        verdicts.intent_id as intent_id,
        verdicts.tool_name as tool_name,
        verdicts.tool_call_id as tool_call_id,
        judged.expected_hash as expected_hash,
        judged.found_hash as found_hash,
        'verdict' as evidence,
        verdicts.verdict_id as event_id
    from v_verdicts as verdicts
    left join v_judged_paths as judged on judged.verdict_id = verdicts.verdict_id
    left join v_tool_calls as calls
        on calls.tool_call_id = verdicts.tool_call_id and calls.session_id = verdicts.session_id
    where
        not coalesce(verdicts.enforced, true)
        and case when judged.verdict_id is null then verdicts.reason_code else judged.reason_code end = 'STALE_FILE'
),

executed as (
    select noted.*
    from noted
    where
        exists (
            select 1
            from v_mutations as changed
            where
                changed.tool_call_id = noted.tool_call_id
                and changed.session_id = noted.session_id
                and changed.path = noted.path
                and changed.position > noted.position
        )
        and not exists (
            select 1
            from violated
            where
                violated.tool_call_id = noted.tool_call_id
                and violated.session_id = noted.session_id
                and violated.path = noted.path
        )
),

stale as (
    select *
    from violated
    union all
    select *
    from executed
),

-- the change that the call made, which a violation may be recorded before or after
changed as (
    select
        stale.event_id as event_id,
        stale.path as path,
        max(mutations.mutation_id) as mutation_id
    from stale
    inner join v_mutations as mutations
        on mutations.tool_call_id = stale.tool_call_id
        and mutations.session_id = stale.session_id
        and mutations.path = stale.path
    group by stale.event_id, stale.path
)

select
    changed.mutation_id,
    stale.path,
    stale.expected_hash,
    stale.found_hash,
    stale.occurred_at,
    stale.session_id,
    stale.intent_id,
    stale.tool_name,
    stale.tool_call_id,
    stale.evidence,
    stale.event_id
from stale
left join changed on changed.event_id = stale.event_id and changed.path = stale.path
where $since is null or stale.occurred_at >= $since
order by stale.position, stale.path;
