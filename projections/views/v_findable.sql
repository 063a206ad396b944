-- one row is one thing that can be asked for in plain words; of a change, one file of it
-- needs: findable
select
    kind,              -- change, decision, prompt, command, test, read, refusal, approval, lesson, thought, intent, session and so on
    id,                -- the id that `linetrail show` or `linetrail decisions` takes
    position,          -- place in the order of all events
    occurred_at,       -- when, UTC; of a session when it began, of an intent when it was completed, else created
    session_id,        -- conversation
    intent_id,         -- intent
    agent_name,        -- product
    model_id,          -- model, as provider/model
    contributor_type,  -- who did it: ai, human, unknown
    path,              -- file; of a decision all its places
    what,              -- what it says or did
    words,             -- what else is said of it
    context,           -- title of the intent, and the prompt before it
    outcome,           -- add, modify, delete, rename; deny, ask; completed, failed; accepted, rejected; a status
    tokens             -- of a session, tokens of every kind
from findable;
