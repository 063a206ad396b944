-- What the agent of a worktree asks a person in its own dialog: nothing was answered, and no call began or ended since
with
last_call as (
    select position, event_type, tool_name
    from v_events
    where event_type in ('tool.requested', 'tool.completed', 'tool.failed', 'prompt.submitted', 'session.ended')
    order by position desc
    limit 1
),

last_verdict as (
    select position, verdict, enforced, tool_name
    from v_verdicts
    order by position desc
    limit 1
)

select tool_name
from last_verdict
where
    verdict = 'ask' and coalesce(enforced, true) and position > coalesce((select position from last_call), -1)
union all
select tool_name
from last_call
where
    event_type = 'tool.requested'
    and tool_name in ('AskUserQuestion', 'ask_user', 'ask_followup_question', 'ask_question', 'request_user_input')
order by tool_name
limit 1
