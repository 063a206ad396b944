-- What happened in a session, step by step: prompts, calls with what was said of them, changes, decisions, commits?
-- asked as: happened session, stepwise session, did session do, step session, walk session
-- topic: sessions, tools and cost
-- param session: the session
-- columns: position, kind, id, occurred_at, agent_id, agent_type, tool_name, what, path, outcome, duration_ms, verdict, enforced, reason_code, reason, intent_id
-- verdict and reason: the strictest that the gate said of the call; of one that nobody saw made, its id is that of the verdict. A change is a step where no call is known to have made it
with
strict as (
    select
        tool_call_id,
        verdict,
        enforced,
        reason_code,
        reason,
        row_number() over (
            partition by tool_call_id
            order by case verdict when 'deny' then 1 when 'ask' then 2 else 3 end, position
        ) as place
    from v_verdicts
    where session_id = $session
),

steps as (
    select
        calls.position,
        'call' as kind,
        calls.tool_call_id as id,
        coalesce(calls.started_at, calls.ended_at) as occurred_at,
        calls.agent_id,
        calls.agent_type,
        calls.tool_name,
        coalesce(calls.command, calls.error_message) as what,
        calls.path,
        calls.status as outcome,
        calls.duration_ms,
        strict.verdict,
        strict.enforced,
        strict.reason_code,
        strict.reason,
        calls.intent_id
    from v_tool_calls as calls
    left join strict on strict.tool_call_id = calls.tool_call_id and strict.place = 1
    where calls.session_id = $session
    union all
    select
        position, 'call', verdict_id, occurred_at, null, null, tool_name, null, null, null, null, verdict, enforced,
        reason_code, reason, intent_id
    from v_verdicts
    where
        session_id = $session
        and verdict <> 'allow'
        and (
            tool_call_id is null
            or tool_call_id not in (select tool_call_id from v_tool_calls where session_id = $session)
        )
    union all
    select
        min(position), 'change', mutation_id, min(occurred_at), max(agent_id), null, max(tool_name), max(via), min(path),
        max(op), null, null, null, null, null, max(intent_id)
    from v_mutations
    where
        session_id = $session
        and (
            tool_call_id is null
            or tool_call_id not in (select tool_call_id from v_tool_calls where session_id = $session)
        )
    group by mutation_id
    union all
    select
        position, kind, id, occurred_at, null, null, null, what, path, outcome, null, null, null, null, nullif(words, ''), intent_id
    from v_findable
    where
        session_id = $session
        and (
            kind in ('prompt', 'thought', 'decision', 'violation', 'recovery point')
            or (kind = 'approval' and outcome in ('approved', 'rejected'))
        )
    union all
    select
        position, 'commit', vcs_revision, observed_at, null, null, null, subject, null, null, null, null, null, null,
        null, intent_id
    from v_commits
    where session_id = $session and position is not null
)

select
    position, kind, id, occurred_at, agent_id, agent_type, tool_name, what, path, outcome, duration_ms, verdict,
    enforced, reason_code, reason, intent_id
from steps
order by position, kind, id;
