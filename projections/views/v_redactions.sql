-- one row is one rule that took something out of one event before it was written
-- needs: redactions
select
    position,        -- place of the event in the order of all events
    event_id,        -- event
    occurred_at,     -- when it happened, UTC
    session_id,      -- conversation
    event_type,      -- kind of the event
    redaction_rule,  -- rule whose mark stands in the place of a secret; redaction-failed: a whole text was withheld
    times            -- how many such marks the event has
from redactions;
