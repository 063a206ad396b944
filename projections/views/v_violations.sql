-- one row is one thing that happened against what was decided, or against a rule that only shows afterwards
-- needs: violations
select
    position,       -- place in the order of all events
    violation_id,   -- event that recorded it
    occurred_at,    -- when it was found out, UTC
    session_id,     -- conversation
    intent_id,      -- intent that was selected
    agent_name,     -- product
    tool_call_id,   -- call that did it
    tool_name,      -- tool that ran
    reason_code,    -- what it was, as a stable word
    reason,         -- what it was, as a sentence
    path,           -- file it was about; null is none
    verdict_id,     -- judgement that it contradicts; null is none
    rule_id,        -- rule that it breaks
    expected_hash,  -- SHA-256 of the file as it should have been
    found_hash      -- SHA-256 of the file as it was
from violations;
