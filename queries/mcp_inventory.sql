-- Which MCP servers and tools are used, since when?
-- columns: server, tool_name, first_seen_at, last_seen_at, calls, failed, sessions
select
    split_part(tool_name, '__', 2) as server,
    tool_name,
    min(started_at) as first_seen_at,
    max(started_at) as last_seen_at,
    count(*) as calls,
    count(*) filter (where status = 'failed') as failed,
    count(distinct session_id) as sessions
from v_tool_calls
where operation_name = 'mcp'
group by tool_name
order by calls desc, tool_name;
