-- One row is one prompt.
-- words: prompt, request, question, instruction
-- figures: length, changes, calls, refusals
-- verbs: lead, led, cause, trigger, result, ask, submit, send, sent, get, got, receive, type, enter, give, gave
-- verbs: answer, handle, end, make, made
select
    prompts.event_id as id,
    prompts.occurred_at as happened_at,
    'human' as contributor,
    sessions.agent_name as agent,
    sessions.model_id as model,
    prompts.intent_id as intent,
    prompts.session_id as session,
    sessions.human_id as person,
    prompts.prompt_excerpt as what,
    prompts.prompt_length as length,
    changed.file,
    changed.changes,
    asked.calls,
    asked.refusals
from v_prompts as prompts
left join v_sessions as sessions on sessions.session_id = prompts.session_id
left join (
    select
        calls.prompt_id,
        calls.session_id,
        string_agg(distinct changes.path, chr(10) order by changes.path) as file,
        count(*) as changes
    from v_tool_calls as calls
    inner join v_mutations as changes
        on changes.tool_call_id = calls.tool_call_id
        and changes.session_id = calls.session_id
    group by calls.prompt_id, calls.session_id
) as changed on changed.prompt_id = prompts.prompt_id and changed.session_id = prompts.session_id
left join (
    select
        calls.prompt_id,
        calls.session_id,
        count(distinct calls.tool_call_id) as calls,
        count(distinct verdicts.verdict_id) as refusals
    from v_tool_calls as calls
    left join v_verdicts as verdicts on verdicts.tool_call_id = calls.tool_call_id and verdicts.verdict = 'deny'
    group by calls.prompt_id, calls.session_id
) as asked on asked.prompt_id = prompts.prompt_id and asked.session_id = prompts.session_id
