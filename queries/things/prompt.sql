-- One row is one prompt.
-- words: prompt, request, question, instruction
-- figures: length
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
    changed.file
from v_prompts as prompts
left join v_sessions as sessions on sessions.session_id = prompts.session_id
left join (
    select
        calls.prompt_id,
        calls.session_id,
        string_agg(distinct changes.path, chr(10) order by changes.path) as file
    from v_tool_calls as calls
    inner join v_mutations as changes
        on changes.tool_call_id = calls.tool_call_id
        and changes.session_id = calls.session_id
    group by calls.prompt_id, calls.session_id
) as changed on changed.prompt_id = prompts.prompt_id and changed.session_id = prompts.session_id
