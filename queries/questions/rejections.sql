-- What was refused or stopped most, by people and by rules?
-- control: ASI09
-- asked as: refused most, rejected most, reason refused most, refused|denied|blocked|stopped rule|gate
-- topic: the gate, and what went past it
-- param since?: only from this moment on
-- param until?: only before this moment
-- param by?: only what was refused by a person, by the agent (its own rules or dialog), or by linetrail
-- values by: person, agent, linetrail
-- columns: tool_name, rule_id, count, example, source, sessions, last_at
-- rule_id: the rule that decided, else the stable word for the reason
with
refused as (
    select
        verdicts.tool_name as tool_name,
        verdicts.source as source,
        coalesce(verdicts.rule_id, verdicts.reason_code) as rule_id,
        verdicts.session_id as session_id,
        verdicts.occurred_at as occurred_at,
        coalesce(calls.command, calls.path, verdicts.reason) as example
    from v_verdicts as verdicts
    left join v_tool_calls as calls
        on calls.tool_call_id = verdicts.tool_call_id and calls.session_id = verdicts.session_id
    where verdicts.verdict = 'deny' and coalesce(verdicts.enforced, true)
    union all
    select tool_name, 'person', 'interrupted', session_id, started_at, coalesce(command, path)
    from v_tool_calls
    where interrupted
    union all
    select tool_name, 'person', reason_code, session_id, occurred_at, action
    from v_approvals
    where not approved
)

select
    tool_name,
    rule_id,
    count(*) as count,
    max(example) as example,
    source,
    count(distinct session_id) as sessions,
    max(occurred_at) as last_at
from refused
where ($since is null or occurred_at >= $since) and ($until is null or occurred_at < $until) and ($by is null or source = $by)
group by tool_name, source, rule_id
order by count(*) desc, tool_name nulls last, source, rule_id nulls last;
