-- Files need no intent, since .intentignore takes them out of every scope
-- id: LT019
-- level: info
-- control: CC7.2
-- message: {what}: {pattern} in .orchestration/.intentignore exempts
-- remedy: linetrail check-ignore -v PATH; narrow the pattern where it hides more than it should
-- why: An exemption is a blind spot that somebody chose. It should be seen from time to time.
-- example: `docs/` was exempted for notes, and an agent keeps its scripts there.
-- silent: for patterns that fit no file that git tracks, and that no agent made use of
-- rows of: v_verdicts
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at, pattern, what
select
    verdicts.position,
    calls.path,
    cast(null as bigint) as line,
    cast(null as bigint) as end_line,
    coalesce(verdicts.rule_id, '') as anchor,
    verdicts.session_id,
    verdicts.intent_id,
    verdicts.agent_name,
    verdicts.verdict_id as event_id,
    verdicts.occurred_at,
    coalesce(verdicts.rule_id, 'a pattern') as pattern,
    coalesce(calls.path, 'a file') || ' was written without an intent' as what
from v_verdicts as verdicts
left join v_tool_calls as calls
    on calls.tool_call_id = verdicts.tool_call_id and calls.session_id = verdicts.session_id
where
    verdicts.reason_code = 'EXEMPT'
    and ($since is null or verdicts.occurred_at >= $since)
order by verdicts.position;
