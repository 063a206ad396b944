-- one row is one state that somebody marked, to come back to
-- needs: recovery_points
select
    point_id,          -- recovery point
    position,          -- place of its first record in the order of all events
    event_id,          -- event of its first record
    occurred_at,       -- when it was marked, UTC
    session_id,        -- conversation
    intent_id,         -- intent that was selected
    agent_name,        -- product that marked it; null for a person
    contributor_type,  -- who marked it: ai, human, unknown
    point_name,        -- what it is called
    vcs_revision,      -- commit that holds every file which is not listed
    reason,            -- why linetrail itself marked it
    paths,             -- files and folders it is about, as JSON; null is the whole worktree
    files,             -- files that are listed
    complete           -- whether every part of it is there
from recovery_points;
