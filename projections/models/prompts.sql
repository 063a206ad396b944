-- one row is one prompt; `turn` counts the prompts of its session
-- needs: prompt_submissions
select
    position,
    event_id,
    occurred_at,
    session_id,
    row_number() over (partition by session_id order by position) as turn,
    intent_id,
    agent_name,
    prompt_id,
    prompt_excerpt,
    prompt_hash,
    prompt_length
from prompt_submissions;
