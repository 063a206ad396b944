-- one row is one write of a file from a state that the agent had not seen
-- needs: stale_writes
select
    position,       -- place of the event that says so, in the order of all events
    occurred_at,    -- when it was found out, or judged, UTC
    path,           -- file, relative to the repository
    session_id,     -- conversation
    intent_id,      -- intent that was selected
    agent_name,     -- product
    tool_name,      -- tool that wrote
    tool_call_id,   -- call that wrote
    expected_hash,  -- SHA-256 of the file when the agent last saw it
    found_hash,     -- SHA-256 of the file that was written over
    found_by,       -- violation: found out afterwards; verdict: known before, only noted, and the call ran
    event_id,       -- event that says so
    mutation_id     -- change that the call made; null: it was not recorded
from stale_writes;
