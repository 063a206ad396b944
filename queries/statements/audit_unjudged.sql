-- What ran without being judged: hooks that only recorded, and sessions that were imported. The latest are read.
with
latest as (
    select
        calls.position,
        calls.command,
        calls.session_id,
        calls.intent_id,
        calls.agent_name,
        events.event_id,
        calls.started_at as occurred_at
    from v_tool_calls as calls
    left join v_events as events on events.position = calls.position
    where
        calls.operation_name = 'shell'
        and calls.command is not null
        and ($since is null or calls.started_at >= cast($since as timestamp))
        and not exists (
            select 1
            from v_verdicts as verdicts
            where
                verdicts.tool_call_id = calls.tool_call_id
                and verdicts.session_id = calls.session_id
                and (verdicts.command_class is not null or verdicts.verdict <> 'allow')
        )
    order by calls.position desc
    limit $most
)

from latest
order by position
