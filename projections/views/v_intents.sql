-- one row is one intent, as it was told last
-- needs: intents
select
    intent_id,       -- intent
    title,           -- its name
    status,          -- its status in the registry
    scope,           -- patterns of the files it owns, as JSON
    created_at,      -- when it was created, UTC, if that was seen
    selected_at,     -- when it was selected last, UTC
    completed_at,    -- when it was completed last, UTC
    last_event_at,   -- last event that belongs to it, UTC
    first_position,  -- place of the first event about it
    events,          -- events that belong to it
    sessions,        -- sessions that worked on it
    mutations        -- events of it that saw files change
from intents;
