-- one row is one write of a file from a state that the agent had not seen
-- needs: violations, verdicts, judged_paths, tool_calls, mutation_files
with
found_out as (
    select
        position,
        occurred_at,
        path,
        session_id,
        intent_id,
        agent_name,
        tool_name,
        tool_call_id,
        expected_hash,
        found_hash,
        'violation' as found_by,
        violation_id as event_id
    from violations
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
        verdicts.agent_name as agent_name,
        verdicts.tool_name as tool_name,
        verdicts.tool_call_id as tool_call_id,
        judged.expected_hash as expected_hash,
        judged.found_hash as found_hash,
        'verdict' as found_by,
        verdicts.verdict_id as event_id
    from verdicts
    left join judged_paths as judged on judged.verdict_id = verdicts.verdict_id
    left join tool_calls as calls
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
            from mutation_files as changed
            where
                changed.tool_call_id = noted.tool_call_id
                and changed.session_id = noted.session_id
                and changed.path = noted.path
                and changed.position > noted.position
        )
        and not exists (
            select 1
            from found_out
            where
                found_out.tool_call_id = noted.tool_call_id
                and found_out.session_id = noted.session_id
                and found_out.path = noted.path
        )
),

stale as (
    select *
    from found_out
    union all
    select *
    from executed
),

-- the change that the call made, which a violation may be recorded before or after
changed as (
    select
        stale.event_id as event_id,
        stale.path as path,
        max(files.event_id) as mutation_id
    from stale
    inner join mutation_files as files
        on files.tool_call_id = stale.tool_call_id and files.session_id = stale.session_id and files.path = stale.path
    group by stale.event_id, stale.path
)

select stale.*, changed.mutation_id as mutation_id
from stale
left join changed on changed.event_id = stale.event_id and changed.path = stale.path;
