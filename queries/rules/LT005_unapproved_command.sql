-- A command ran that is hard to undo, and no person was asked
-- id: LT005
-- level: high
-- control: ASI02, ASI05
-- message: nobody approved {command}
-- remedy: linetrail show {event_id}; set `enforce: block` or `codes: {{DANGEROUS_COMMAND: ask}}` in .orchestration/config.yaml
-- why: What deletes, pushes, fetches and runs, or leaves the workspace cannot be taken back. A person answers for such steps.
-- example: `git push --force origin main` in a session where hooks only observe.
-- silent: for what only changes files, which is a matter of intents, for what a person approved,
-- silent: and beyond the latest 20,000 commands that no gate judged
-- rows of: v_verdicts
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at, command
with
ran as (
    select
        verdicts.position,
        verdicts.verdict_id,
        verdicts.occurred_at,
        verdicts.session_id,
        verdicts.intent_id,
        verdicts.agent_name,
        calls.command,
        row_number() over (
            partition by verdicts.session_id, verdicts.tool_call_id
            order by verdicts.position desc
        ) as latest
    from v_verdicts as verdicts
    inner join v_tool_calls as calls
        on calls.tool_call_id = verdicts.tool_call_id and calls.session_id = verdicts.session_id
    where
        verdicts.command_class = 'dangerous'
        and coalesce(verdicts.reason_code, '') <> 'APPROVED'
        and verdicts.approval_id is null
        -- a person who was asked said yes, or it would not have ended
        and not (verdicts.verdict = 'ask' and coalesce(verdicts.enforced, true))
        -- refused and run all the same is another rule's
        and not (verdicts.verdict = 'deny' and coalesce(verdicts.enforced, true))
)

select
    position,
    cast(null as varchar) as path,
    cast(null as bigint) as line,
    cast(null as bigint) as end_line,
    coalesce(command, verdict_id) as anchor,
    session_id,
    intent_id,
    agent_name,
    verdict_id as event_id,
    occurred_at,
    command
from ran
where latest = 1 and ($since is null or occurred_at >= $since)
order by position;
