-- one row is one decision, as it was recorded last
-- needs: decisions
select
    decision_id,       -- decision
    position,          -- place of its last record in the order of all events
    event_id,          -- event of its last record
    occurred_at,       -- when it was recorded last, UTC
    session_id,        -- conversation
    intent_id,         -- intent it was made for
    contributor_type,  -- who made it: ai, human, unknown
    title,             -- what was decided
    rationale,         -- why
    status,            -- proposed, accepted, rejected; superseded where another decision replaced it
    recorded_status,   -- status as it was recorded
    supersedes_id,     -- decision it replaces
    superseded_by_id,  -- decision that replaced it
    lines,             -- places it is about, as JSON
    places             -- the same with hashes of their lines, as JSON
from decisions;
