-- What was said of a tool call before it ran
select verdict_id, verdict, source, rule_id, reason_code, reason, enforced, approval_id, occurred_at
from v_verdicts
where tool_call_id = $tool_call_id and session_id = $session_id
order by position
