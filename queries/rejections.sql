-- Which tool calls were refused or stopped most?
-- param since?: only from this moment on
-- columns: tool_name, source, rule_id, refusals, sessions, example
with
refused as (
    select
        verdicts.tool_name as tool_name,
        verdicts.source as source,
        verdicts.rule_id as rule_id,
        verdicts.session_id as session_id,
        verdicts.position as position,
        coalesce(calls.command, calls.path, verdicts.reason) as example
    from v_verdicts as verdicts
    left join v_tool_calls as calls
        on calls.tool_call_id = verdicts.tool_call_id and calls.session_id = verdicts.session_id
    where
        verdicts.verdict = 'deny'
        and coalesce(verdicts.enforced, true)
        and ($since is null or verdicts.occurred_at >= cast($since as timestamp))
    union all
    select tool_name, 'person', 'interrupted', session_id, position, coalesce(command, path)
    from v_tool_calls
    where interrupted and ($since is null or started_at >= cast($since as timestamp))
    union all
    select tool_name, 'person', reason_code, session_id, position, action
    from v_approvals
    where not approved and ($since is null or occurred_at >= cast($since as timestamp))
)

select
    tool_name,
    source,
    rule_id,
    count(*) as refusals,
    count(distinct session_id) as sessions,
    max(example) as example
from refused
group by tool_name, source, rule_id
order by refusals desc, tool_name, source, rule_id;
