-- Which subagents did what for whom?
-- param session?: only this session, by the first characters of its id
-- columns: session_id, agent_id, agent_type, tool_calls, mutations, lines_added, first_at, last_at
with
calls as (
    select
        session_id,
        agent_id,
        max(agent_type) as agent_type,
        count(*) as tool_calls,
        min(started_at) as first_at,
        max(coalesce(ended_at, started_at)) as last_at
    from v_tool_calls
    where agent_id is not null and ($session is null or starts_with(session_id, $session))
    group by session_id, agent_id
),

changes as (
    select
        session_id,
        agent_id,
        count(distinct mutation_id) as mutations,
        sum(lines_added) as lines_added
    from v_mutations
    where agent_id is not null
    group by session_id, agent_id
)

select
    calls.session_id,
    calls.agent_id,
    calls.agent_type,
    calls.tool_calls,
    coalesce(changes.mutations, 0) as mutations,
    coalesce(changes.lines_added, 0) as lines_added,
    calls.first_at,
    calls.last_at
from calls
left join changes on changes.session_id = calls.session_id and changes.agent_id = calls.agent_id
order by calls.first_at, calls.session_id, calls.agent_id;
