-- one row is one change of a file of a finished intent, for another intent or for none
-- needs: finished_changes
select
    position,          -- place of the change in the order of all events
    intent_id,         -- intent that was finished
    completed_at,      -- when it was completed, UTC
    mutation_id,       -- event that saw the change
    by_intent,         -- intent that was selected at the change; null: none
    path,              -- file, relative to the repository
    occurred_at,       -- when the change was seen, UTC
    session_id,        -- conversation
    agent_name,        -- product
    contributor_type,  -- who did it: ai, human, unknown
    via                -- how it came about: tool, shell, human, import, git, unseen
from finished_changes;
