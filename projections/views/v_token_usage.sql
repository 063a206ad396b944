-- one row is one answer of a model and the tokens it took
-- needs: token_usage
select
    usage_key,                    -- message and request; the last record of a key counts
    position,                     -- place of that record in the order of all events
    event_id,                     -- event of that record
    occurred_at,                  -- when, UTC
    activity_date,                -- the day of it, UTC
    session_id,                   -- conversation that recorded it first
    intent_id,                    -- intent that was selected in it
    agent_name,                   -- product
    model_id,                     -- model, as provider/model
    input_tokens,                 -- tokens read anew
    output_tokens,                -- tokens written
    cache_read_input_tokens,      -- tokens read from a cache
    cache_creation_input_tokens,  -- tokens put into a cache
    tokens,                       -- of all four kinds
    cost_microusd                 -- at public list prices, in millionths of a dollar; null where no price is known
from token_usage;
