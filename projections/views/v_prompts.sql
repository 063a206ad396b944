-- one row is one prompt
-- needs: prompts
select
    position,        -- place in the order of all events
    event_id,        -- event that recorded it
    occurred_at,     -- when it was handed in, UTC
    session_id,      -- conversation
    turn,            -- number of the prompt in its session, from 1
    intent_id,       -- intent that was selected
    agent_name,      -- product it was handed to
    prompt_id,       -- the agent's own name for it
    prompt_excerpt,  -- its first characters, secrets taken out
    prompt_hash,     -- commitment to the whole prompt: SHA-256 of a salt kept elsewhere and the text; of old events of the text
    prompt_length    -- characters in the whole prompt
from prompts;
