-- Where did an agent do the same thing again and again?
-- control: ASI08
-- asked as: loop kept trying same, kept trying same
-- asked as: same again and again, loop, over and over, repeat same, repeated call, same call again
-- how many: loop
-- topic: sessions, tools and cost
-- param since?: only from this moment on
-- param until?: only before this moment
-- param least?: repeated at least so often, 3 if not told
-- columns: session_id, tool_name, args_hash, repeats, failed, agent_name, example, first_at, last_at
-- calls of one tool with the same input in one session; in between there may have been others
select
    session_id,
    tool_name,
    input_hash as args_hash,
    count(*) as repeats,
    count(*) filter (where status = 'failed') as failed,
    max(agent_name) as agent_name,
    max(coalesce(command, path)) as example,
    min(started_at) as first_at,
    max(started_at) as last_at
from v_tool_calls
where input_hash is not null and ($since is null or started_at >= $since) and ($until is null or started_at < $until)
group by session_id, tool_name, input_hash
having count(*) >= coalesce(cast($least as bigint), 3)
order by count(*) desc, min(position);
