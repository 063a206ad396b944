-- one row is one answer of a model and the tokens it took
-- needs: token_usage, tool_calls, prompts
-- what an agent's own files tell of an answer names no intent: it is the one that the hooks knew of in the session then
with
known as (
    select session_id, intent_id, started_at as known_at, position
    from tool_calls
    where started_at is not null
    union all
    select session_id, intent_id, occurred_at as known_at, position
    from prompts
),

spans as (
    select
        session_id,
        intent_id,
        known_at as since,
        lead(known_at) over (partition by session_id order by known_at, position) as until
    from known
)

select
    usage_key,                    -- message and request; the last record of a key counts
    position,                     -- place of that record in the order of all events
    event_id,                     -- event of that record
    token_usage.occurred_at as occurred_at,  -- when, UTC
    activity_date,                -- the day of it, UTC
    token_usage.session_id as session_id,  -- conversation that recorded it first
    coalesce(token_usage.intent_id, spans.intent_id) as intent_id,  -- intent that was selected in it then
    agent_name,                   -- product
    model_id,                     -- model, as provider/model
    input_tokens,                 -- tokens read anew
    output_tokens,                -- tokens written
    cache_read_input_tokens,      -- tokens read from a cache
    cache_creation_input_tokens,  -- tokens put into a cache
    tokens,                       -- of all four kinds
    cost_microusd                 -- at public list prices, in millionths of a dollar; null where no price is known
from token_usage
left join spans
    on spans.session_id = token_usage.session_id
    and spans.since <= token_usage.occurred_at
    and (spans.until is null or spans.until > token_usage.occurred_at);
