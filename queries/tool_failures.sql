-- Which tools fail, how often, how slowly?
-- param since?: only from this moment on
-- columns: tool_name, calls, failed, failed_percent, unfinished, p50_ms, p95_ms, last_error
with
errors as (
    select tool_name, error_message, row_number() over (partition by tool_name order by position desc) as nth
    from v_tool_calls
    where error_message is not null and ($since is null or started_at >= cast($since as timestamp))
)

select
    calls.tool_name,
    count(*) as calls,
    count(*) filter (where status = 'failed') as failed,
    round(100.0 * count(*) filter (where status = 'failed') / count(*), 1) as failed_percent,
    count(*) filter (where status is null) as unfinished,
    cast(percentile_cont(0.5) within group (order by duration_ms) as bigint) as p50_ms,
    cast(percentile_cont(0.95) within group (order by duration_ms) as bigint) as p95_ms,
    max(errors.error_message) as last_error
from v_tool_calls as calls
left join errors on errors.tool_name = calls.tool_name and errors.nth = 1
where $since is null or calls.started_at >= cast($since as timestamp)
group by calls.tool_name
order by failed desc, calls desc, calls.tool_name;
