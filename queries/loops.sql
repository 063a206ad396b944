-- Where did an agent do the same thing again and again?
-- param since?: only from this moment on
-- columns: session_id, agent_name, tool_name, repeats, failed, example, first_at, last_at
select
    session_id,
    max(agent_name) as agent_name,
    tool_name,
    count(*) as repeats,
    count(*) filter (where status = 'failed') as failed,
    max(coalesce(command, path)) as example,
    min(started_at) as first_at,
    max(started_at) as last_at
from v_tool_calls
where input_hash is not null and ($since is null or started_at >= cast($since as timestamp))
group by session_id, tool_name, input_hash
having count(*) >= 3
order by repeats desc, first_at, session_id, tool_name;
