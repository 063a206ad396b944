-- What was approved, by whom, and for which tools?
-- param since?: only from this moment on
-- columns: source, rule_id, tool_name, verdict, verdicts, sessions, last_at
with
given as (
    select source, rule_id, tool_name, verdict, session_id, occurred_at
    from v_verdicts
    where verdict in ('allow', 'ask')
    union all
    select
        'person',
        reason_code,
        tool_name,
        case when approved then 'approved' else 'rejected' end,
        session_id,
        occurred_at
    from v_approvals
)

select
    source,
    rule_id,
    tool_name,
    verdict,
    count(*) as verdicts,
    count(distinct session_id) as sessions,
    max(occurred_at) as last_at
from given
where $since is null or occurred_at >= cast($since as timestamp)
group by source, rule_id, tool_name, verdict
order by verdicts desc, source, rule_id, tool_name, verdict;
