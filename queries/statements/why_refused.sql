-- A refusal, its call, and whether that ran nevertheless
select
    v.verdict_id, v.reason_code, v.reason, v.tool_name, v.tool_call_id, v.session_id, v.occurred_at,
    c.command,
    exists (
        select 1 from v_violations w where w.verdict_id = v.verdict_id and w.reason_code = 'DENIED_BUT_EXECUTED'
    ) as executed
from v_verdicts v
left join v_tool_calls c on c.tool_call_id = v.tool_call_id and c.session_id = v.session_id
where v.verdict_id = $verdict_id
