-- one row is one commit that was seen being made
-- needs: commits
select
    vcs_revision,     -- commit
    position,         -- place of its first sighting in the order of all events
    event_id,         -- event of its first sighting
    observed_at,      -- when it was seen first, UTC
    session_id,       -- conversation in which it was seen
    intent_id,        -- intent that was selected
    parent_revision,  -- first parent
    parents,          -- number of parents
    patch_id,         -- the same for the same change elsewhere in history
    files             -- number of files in it
from commits;
