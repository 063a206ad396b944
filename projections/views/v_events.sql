-- one row is one event, in the order of the ledger
-- needs: events
select
    position,          -- place in the order of all events, from 1; the only order there is
    position as seq,   -- the same
    event_id,          -- UUIDv7 of the event
    occurred_at,       -- when it happened, UTC, as the machine's clock said
    occurred_at as ts, -- the same
    event_type,        -- what happened: prompt.submitted, mutation.observed and so on
    session_id,        -- conversation it belongs to
    agent_name,        -- product that acted
    agent_version,     -- version of that product
    model_id,          -- model, as provider/model
    contributor_type,  -- who did it: ai, human, unknown
    intent_id,         -- intent that was selected at that moment
    vcs_type,          -- git
    vcs_revision,      -- HEAD at that moment, so the parent of the commit that will hold the change
    branch,            -- branch at that moment; null when detached
    dirty,             -- whether there were uncommitted changes, where that is known
    tool_call_id,      -- tool call it is about
    tool_name,         -- tool it is about, as the agent spells it
    agent_id,          -- subagent that acted; null is the main agent of the session
    path,              -- first file it names; event_paths has them all
    verdict,           -- of a judgement: allow, deny, ask
    source,            -- of an imported event: the format it came in; null was recorded here
    schema_version,    -- version of the event format
    prev_hash,         -- SHA-256 of the line before
    payload            -- what the event says, as JSON
from events;
