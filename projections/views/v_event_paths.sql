-- one row is one file that an event names
-- needs: event_paths
select
    position,  -- place of the event in the order of all events
    event_id,  -- event that names the file
    path,      -- file, relative to the repository
    role       -- what the event says about it: a tool's target role, add, modify, delete, rename, copy, from, commit, note, signal
from event_paths;
