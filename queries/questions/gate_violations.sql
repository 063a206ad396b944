-- What happened that is not what the gate had decided?
-- asked as: call unjudged, unjudged, without being judged, past gate, around gate, gate violation, not what gate decided, violation of gate
-- asked as: bypass gate, gate bypassed
-- how many: violation
-- topic: the gate, and what went past it
-- param since?: only from this moment on
-- param code?: only of this kind, such as DENIED_BUT_EXECUTED
-- columns: violation_id, occurred_at, code, path, tool_name, session_id, intent_id, verdict, verdict_code, reason
select
    violations.violation_id,
    violations.occurred_at,
    violations.reason_code as code,
    violations.path,
    violations.tool_name,
    violations.session_id,
    violations.intent_id,
    verdicts.verdict,
    verdicts.reason_code as verdict_code,
    violations.reason
from v_violations as violations
left join v_verdicts as verdicts on verdicts.verdict_id = violations.verdict_id
where
    ($since is null or violations.occurred_at >= cast($since as timestamp))
    and ($code is null or violations.reason_code = $code)
order by violations.position;
