-- one row is one file that an event names
-- needs: event_paths
select
    position,  -- place of the event in the order of all events
    event_id,  -- event that names the file
    path,      -- file, relative to the repository
    role       -- role of a tool's target, add, modify, delete, rename, copy, from, commit, note, signal, judged
from event_paths;
