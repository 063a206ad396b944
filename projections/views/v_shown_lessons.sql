-- one row is one lesson that an agent was told with its intent
-- needs: shown_lessons
select
    position,     -- place in the order of all events
    event_id,     -- event that recorded it
    occurred_at,  -- when it was told, UTC
    session_id,   -- conversation
    intent_id,    -- intent that was selected
    place,        -- its place among those that were told together, from 1
    lesson_id     -- lesson
from shown_lessons;
