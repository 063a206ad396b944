-- Which tools fail, how, and how slow are they?
-- control: ASI08
-- asked as: tool fail, tool slow, slowest tool, tool error, tool break|breaks|broken|reliable|unreliable|crash
-- topic: sessions, tools and cost
-- param since?: only from this moment on
-- param until?: only before this moment
-- columns: tool_name, error_type, calls, error_rate, p50_ms, p95_ms, failed, unfinished, last_error
-- one row for each kind of failure of a tool, one without for a tool that never failed. calls, unfinished, p50_ms, p95_ms: of
-- all calls of the tool; error_rate: of those whose end was seen; times as the agent said them, null where it said none
with
calls as (
    select tool_name, position, status, error_type, error_message, duration_ms
    from v_tool_calls
    where ($since is null or started_at >= $since) and ($until is null or started_at < $until)
),

tools as (
    select tool_name, count(*) as calls, count(status) as ended, count(*) - count(status) as unfinished
    from calls
    group by tool_name
),

timed as (
    select
        tool_name,
        duration_ms,
        row_number() over (partition by tool_name order by duration_ms) as nth,
        count(*) over (partition by tool_name) as n
    from calls
    where duration_ms is not null
),

-- the shortest time that so many in a hundred calls did not exceed
times as (
    select
        tool_name,
        min(case when 100 * nth >= 50 * n then duration_ms end) as p50_ms,
        min(case when 100 * nth >= 95 * n then duration_ms end) as p95_ms
    from timed
    group by tool_name
),

failures as (
    select tool_name, error_type, count(*) as failed
    from calls
    where status = 'failed'
    group by tool_name, error_type
),

said as (
    select
        tool_name,
        error_type,
        error_message,
        row_number() over (partition by tool_name, error_type order by position desc) as nth
    from calls
    where status = 'failed' and error_message is not null
)

select
    tools.tool_name,
    failures.error_type,
    tools.calls,
    round(1e0 * coalesce(failures.failed, 0) / nullif(tools.ended, 0), 3) as error_rate,
    times.p50_ms,
    times.p95_ms,
    coalesce(failures.failed, 0) as failed,
    tools.unfinished,
    said.error_message as last_error
from tools
left join times on times.tool_name = tools.tool_name
left join failures on failures.tool_name = tools.tool_name
left join said
    on said.tool_name = failures.tool_name
    and said.error_type is not distinct from failures.error_type
    and said.nth = 1
order by coalesce(failures.failed, 0) desc, tools.calls desc, tools.tool_name, failures.error_type nulls last;
