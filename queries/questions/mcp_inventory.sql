-- Which MCP servers and tools are used, since when?
-- control: ASI04
-- asked as: mcp server, mcp tool, mcp used, mcp
-- how many: call, coalesce(sum(calls), 0)
-- topic: sessions, tools and cost
-- columns: tool_name, first_seen, calls, error_rate, server, last_seen, failed, sessions
-- error_rate: of the calls whose end was seen; null: of none. server: as the name of the tool has it, null where it has none
select
    tool_name,
    min(started_at) as first_seen,
    count(*) as calls,
    round(1e0 * count(*) filter (where status = 'failed') / nullif(count(status), 0), 3) as error_rate,
    case
        when substr(tool_name, 1, 5) = 'mcp__' and instr(substr(tool_name, 6), '__') > 1
            then substr(tool_name, 6, instr(substr(tool_name, 6), '__') - 1)
    end as server,
    max(started_at) as last_seen,
    count(*) filter (where status = 'failed') as failed,
    count(distinct session_id) as sessions
from v_tool_calls
where operation_name = 'mcp'
group by tool_name
order by count(*) desc, tool_name;
