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
    prompts.prompt_length as length
from v_prompts as prompts
left join v_sessions as sessions on sessions.session_id = prompts.session_id
