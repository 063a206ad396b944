-- one row is one answer that a person gave to what the gate had asked
-- needs: approvals
select
    position,       -- place in the order of all events
    event_id,       -- event that recorded it
    occurred_at,    -- when it was answered, UTC
    session_id,     -- conversation that waited
    intent_id,      -- intent that was selected when it was asked
    approval_id,    -- request that was answered
    approved,       -- true: it may be done; false: it may not; null: put off, or an answer taken back
    answer,         -- approved, rejected, deferred (not now) or revoked
    extent,         -- of an approval: for the call once, for the like in its session, or it became scope
    tool_name,      -- tool that was to run
    reason_code,    -- why it was asked, as a stable word
    action,         -- what was asked for, secrets taken out
    reason,         -- the words of the person
    human_id,       -- who answered, as git's settings name them there; null in old events
    asked_at,       -- when it was asked first, UTC; null where that was not recorded
    waited_seconds  -- from then to the answer
from approvals;
