-- one row is one thing that an agent thought; recorded only where a person asked for it
-- needs: thoughts
select
    position,         -- place in the order of all events
    event_id,         -- event that recorded it
    occurred_at,      -- when it was thought, UTC
    session_id,       -- conversation
    intent_id,        -- intent that was selected
    agent_name,       -- product that thought
    model_id,         -- model, as provider/model
    prompt_id,        -- prompt it was thought about
    agent_id,         -- subagent; null is the main agent
    thought_excerpt,  -- its first characters, secrets taken out
    thought_hash,     -- commitment to the whole thought
    thought_length    -- characters in the whole thought
from thoughts;
