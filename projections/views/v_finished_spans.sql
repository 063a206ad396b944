-- one row is one stretch of the ledger in which an intent was finished
-- needs: finished_spans
select
    intent_id,       -- intent
    position,        -- place of its completion in the order of all events
    until_position,  -- place at which it was opened again; null: it still is finished
    completed_at     -- when it was completed, UTC
from finished_spans;
