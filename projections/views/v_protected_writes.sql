-- one row is one write by an agent to what only people should change, as a change that was seen or a rule that was broken
-- needs: protected_writes
select
    position,      -- place in the order of all events
    occurred_at,   -- when it was seen, UTC
    path,          -- file, relative to the repository; null: not known which of the gate's own
    protected_as,  -- git, gate, agent, ci, hooks, policy or secrets: by its name alone; null: its name alone does not tell
    found_by,      -- mutation: the file was seen to change; violation: the gate found it out afterwards
    reason_code,   -- of a violation: PROTECTED_PATH, GATE_CHANGED
    recorded,      -- whether the change that the call made to this file is a row here
    session_id,    -- conversation
    intent_id,     -- intent that was selected
    agent_name,    -- product
    tool_call_id,  -- call that did it
    via,           -- of a change, how it came about: tool, shell, import, git, unseen
    start_line,    -- of a change, first line touched, counted after it
    end_line,      -- of a change, last line touched, counted after it
    found_hash,    -- SHA-256 of the new lines, or of the whole file
    event_id       -- event that saw the change, or found it out
from protected_writes;
