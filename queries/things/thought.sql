-- One row is one thing that an agent thought, where that is recorded.
-- words: thought, reasoning
select
    event_id as id,
    occurred_at as happened_at,
    agent_name as agent,
    model_id as model,
    intent_id as intent,
    session_id as session,
    'ai' as contributor,
    agent_name as who,
    thought_excerpt as what
from v_thoughts
