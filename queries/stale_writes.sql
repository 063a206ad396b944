-- Which writes began from a state of the file that the agent had not seen?
-- param since?: only from this moment on
-- columns: occurred_at, path, session_id, intent_id, tool_name, tool_call_id, expected_hash, found_hash, evidence, event_id
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
)

select
    occurred_at,
    path,
    session_id,
    intent_id,
    tool_name,
    tool_call_id,
    expected_hash,
    found_hash,
    evidence,
    event_id
from stale
where $since is null or occurred_at >= cast($since as timestamp)
order by position, path;
