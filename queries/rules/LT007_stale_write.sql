-- A write began from a state of the file that the agent had not seen
-- id: LT007
-- level: medium
-- control: ASI08
-- message: {path} was written over a version that {agent_name} never read
-- remedy: linetrail show {event_id}; compare the file with what stood there before, git log -p -- {path}
-- why: Writing over a version that was never read loses somebody else's change without a trace.
-- example: A person repairs a line while an agent, which read the file before, writes it as a whole.
-- silent: where the write was refused and did not happen
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at
with
-- found out afterwards
violated as (
    select
        position,
        path,
        coalesce(found_hash, expected_hash, path) as anchor,
        session_id,
        intent_id,
        agent_name,
        tool_call_id,
        violation_id as event_id,
        occurred_at
    from v_violations
    where reason_code = 'STALE_WRITE'
),

-- known before, and only noted
noted as (
    select
        verdicts.position as position,
        coalesce(judged.path, calls.path) as path,
        coalesce(judged.found_hash, judged.expected_hash, verdicts.verdict_id) as anchor,
        verdicts.session_id as session_id,
        verdicts.intent_id as intent_id,
        verdicts.agent_name as agent_name,
        verdicts.tool_call_id as tool_call_id,
        verdicts.verdict_id as event_id,
        verdicts.occurred_at as occurred_at
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

found as (
    select *
    from violated
    union all
    select *
    from executed
)

select
    position,
    path,
    cast(null as bigint) as line,
    cast(null as bigint) as end_line,
    anchor,
    session_id,
    intent_id,
    agent_name,
    event_id,
    occurred_at
from found
where $since is null or occurred_at >= $since
order by position, path;
