-- one row is one intent, as it was told last
-- needs: intents
select
    intent_id,            -- intent
    title,                -- its name
    status,               -- its status in the registry
    scope,                -- patterns of the files it owns, as JSON
    description,          -- what it is about
    owner,                -- whose it is
    priority,             -- LOW, MEDIUM, HIGH or CRITICAL
    constraints,          -- what has to stay true, as JSON
    acceptance_criteria,  -- when it is done, as JSON
    dependencies,         -- intents it waits for, as JSON
    parent_intent,        -- intent that it is a part of
    reference_list,       -- what to read about it, as JSON
    blocked_reason,       -- what it waits for
    forked_from,          -- intent that it was split off
    merged_into,          -- intent that goes on with it
    removed,              -- whether it was taken out of the registry
    created_at,           -- when it was created, UTC, if that was seen
    created_epoch,        -- the same in seconds since 1970
    selected_at,          -- when it was selected last, UTC
    completed_at,         -- when it was completed last, UTC
    completed_epoch,      -- the same in seconds since 1970
    last_event_at,        -- last event that belongs to it, UTC
    first_position,       -- place of the first event about it
    events,               -- events that belong to it
    sessions,             -- sessions that worked on it
    mutations             -- events of it that saw files change
from intents;
