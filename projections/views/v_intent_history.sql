-- one row is one state of an intent
-- needs: intent_history
select
    intent_id,            -- intent
    position,             -- place of the event that told the state
    event_id,             -- event that told it
    event_type,           -- kind of that event
    session_id,           -- conversation in which it was told
    agent_name,           -- agent that did it; null for a person or when it is not known
    contributor_type,     -- who did it: ai, human or unknown
    told_by,              -- command, tool or session; found: the file was found changed
    title,                -- name in this state
    status,               -- status in this state
    scope,                -- patterns of the files it owned, as JSON
    description,          -- what it was about
    owner,                -- whose it was
    priority,             -- LOW, MEDIUM, HIGH or CRITICAL
    constraints,          -- what had to stay true, as JSON
    acceptance_criteria,  -- when it would be done, as JSON
    dependencies,         -- intents it waited for, as JSON
    parent_intent,        -- intent that it was a part of
    reference_list,       -- what to read about it, as JSON
    blocked_reason,       -- what it waited for
    forked_from,          -- intent that it was split off
    merged_into,          -- intent that goes on with it
    approval,             -- what of it a person approved: none, destructive or all
    checks,               -- criteria that a command decides, as JSON
    removed,              -- whether it was taken out of the registry
    verification_notes,   -- what was checked before it was completed
    reason,               -- why it was given up, or has to wait
    registry_hash,        -- hash of the registry that said so
    valid_from,           -- from when, UTC
    valid_to              -- until when, UTC; null for the present state
from intent_history;
