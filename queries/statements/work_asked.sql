-- What the agent of a worktree asks a person in its own dialog: no call began or ended since
with
calls as (
    select position, event_type, tool_name
    from v_events
    where event_type in ('tool.requested', 'tool.completed', 'tool.failed', 'prompt.submitted', 'session.ended')
),

last_call as (
    select position, event_type, tool_name
    from calls
    order by position desc
    limit 1
)

select asked.tool_name
from (
    select position, tool_name
    from v_verdicts
    where verdict = 'ask' and coalesce(enforced, true)
    union all
    select position, tool_name
    from last_call
    where
        event_type = 'tool.requested'
        and tool_name in ('AskUserQuestion', 'ask_user', 'ask_followup_question', 'ask_question', 'request_user_input')
) as asked
where asked.position >= (select position from last_call)
order by asked.position desc
limit 1
