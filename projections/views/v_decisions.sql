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
    status,            -- proposed, accepted, rejected and so on
    supersedes_id,     -- decision it replaces
    lines              -- places it is about, as JSON
from decisions;
