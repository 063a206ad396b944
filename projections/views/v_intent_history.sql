-- one row is one state of an intent
-- needs: intent_history
select
    intent_id,           -- intent
    position,            -- place of the event that told the state
    event_id,            -- event that told it
    event_type,          -- kind of that event
    session_id,          -- conversation in which it was told
    title,               -- name in this state
    status,              -- status in this state
    scope,               -- patterns of the files it owned, as JSON
    verification_notes,  -- what was checked before it was completed
    valid_from,          -- from when, UTC
    valid_to             -- until when, UTC; null for the present state
from intent_history;
