-- one row is one file that a call was denied, and that is another one later in the same session
-- needs: denied_changes
select
    position,         -- place of the change in the order of all events
    mutation_id,      -- event that saw the change
    occurred_at,      -- when it was seen, UTC
    path,             -- file, relative to the repository
    session_id,       -- conversation
    intent_id,        -- intent that was selected at the change
    agent_name,       -- product
    via,              -- how the change came about: tool, shell, import, git, unseen
    before_hash,      -- SHA-256 of the file before; null is no file, or not known
    after_hash,       -- SHA-256 of the file after; null is no file
    denied_position,  -- place of the denial in the order of all events
    denied_at,        -- when it was denied, UTC
    verdict_id,       -- denial
    tool_call_id,     -- call that was denied
    source,           -- whose denial: agent, linetrail
    rule_id,          -- rule that decided
    reason_code       -- the reason as a stable word
from denied_changes;
