-- Which calls did sessions and their subagents make, moment by moment, and what was said of each?
-- topic: sessions, tools and cost
-- param session?: only this session
-- param since?: only calls from this moment on
-- param until?: only calls before this moment
-- param seconds?: calls of one agent with the same outcome within so many seconds are one row
-- columns: session_id, agent_id, agent_type, outcome, calls, tool_call_id, what, first_at, last_at
-- outcome: denied (and stopped), executed (denied, and run all the same), noted (would be denied if that were enforced), asked,
-- failed, or ran. tool_call_id and what are those of the first call;
-- of a refusal of a call that nobody saw made, the id is that of the verdict
with
judged as (
    select
        session_id,
        tool_call_id,
        max(case when verdict = 'deny' and enforced is distinct from false then 1 else 0 end) as denied,
        max(case when verdict = 'deny' and enforced = false then 1 else 0 end) as noted,
        max(case when verdict = 'ask' then 1 else 0 end) as asked
    from v_verdicts
    where verdict <> 'allow'
    group by session_id, tool_call_id
),

calls as (
    select
        calls.session_id,
        calls.agent_id,
        calls.agent_type,
        case
            when judged.denied = 1 and calls.status = 'completed' then 'executed'
            when judged.denied = 1 then 'denied'
            when judged.asked = 1 then 'asked'
            when judged.noted = 1 then 'noted'
            when calls.status = 'failed' then 'failed'
            else 'ran'
        end as outcome,
        calls.position,
        calls.tool_call_id,
        coalesce(calls.tool_name, '') || coalesce(' ' || coalesce(calls.command, calls.path), '') as what,
        coalesce(calls.started_at, calls.ended_at) as first_at,
        coalesce(calls.ended_at, calls.started_at) as last_at
    from v_tool_calls as calls
    left join judged on judged.session_id = calls.session_id and judged.tool_call_id = calls.tool_call_id
    where
        ($session is null or calls.session_id = $session)
        and ($since is null or coalesce(calls.ended_at, calls.started_at) >= $since)
        and ($until is null or coalesce(calls.started_at, calls.ended_at) < $until)
),

unmade as (
    select
        verdicts.session_id,
        cast(null as varchar) as agent_id,
        cast(null as varchar) as agent_type,
        case when verdicts.verdict = 'ask' then 'asked' when verdicts.enforced = false then 'noted' else 'denied' end
            as outcome,
        verdicts.position,
        verdicts.verdict_id as tool_call_id,
        coalesce(verdicts.tool_name, verdicts.reason_code, '') as what,
        verdicts.occurred_at as first_at,
        verdicts.occurred_at as last_at
    from v_verdicts as verdicts
    left join v_tool_calls as calls
        on calls.session_id = verdicts.session_id and calls.tool_call_id = verdicts.tool_call_id
    where
        verdicts.verdict <> 'allow'
        and calls.position is null
        and ($session is null or verdicts.session_id = $session)
        and ($since is null or verdicts.occurred_at >= $since)
        and ($until is null or verdicts.occurred_at < $until)
),

placed as (
    select
        *,
        case when $seconds is null then position else cast(floor(epoch(first_at) / $seconds) as bigint) end as slot
    from (select * from calls union all select * from unmade)
)

select
    session_id,
    agent_id,
    max(agent_type) as agent_type,
    outcome,
    count(*) as calls,
    arg_min(tool_call_id, position) as tool_call_id,
    arg_min(what, position) as what,
    min(first_at) as first_at,
    max(last_at) as last_at
from placed
group by session_id, agent_id, outcome, slot
order by min(position);
