-- How was each request of an agent answered?
-- control: ASI09, PW.7
-- asked as: request answered|answer|unanswered|open|waiting, request nobody answered
-- how many: request
-- topic: the gate, and what went past it
-- param code?: only requests for this reason, such as DANGEROUS_COMMAND
-- param intent?: only requests for this intent
-- param session?: only requests of this session
-- param since?: only answers from this moment on
-- param until?: only answers before this moment
-- columns: occurred_at, approval_id, answer, extent, human_id, tool_name, code, action, reason, waited_seconds, intent_id, session_id, event_id
-- newest first. answer: approved, rejected, deferred (not now), revoked; extent: of an approval, or of one that was taken back:
-- once, session, scope. action: what was asked for, secrets taken out; reason: the words that went with it; waited_seconds
-- null: not recorded
select
    occurred_at,
    approval_id,
    answer,
    extent,
    human_id,
    tool_name,
    reason_code as code,
    action,
    reason,
    waited_seconds,
    intent_id,
    session_id,
    event_id
from v_approvals
where
    ($code is null or reason_code = $code)
    and ($intent is null or intent_id = $intent)
    and ($session is null or session_id = $session)
    and ($since is null or occurred_at >= $since)
    and ($until is null or occurred_at < $until)
order by position desc;
