-- one row is one report of tokens; the same answer of a model may be reported many times
-- needs: ledger
-- types: usage.recorded
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "usage_key": "VARCHAR", "message_id": "VARCHAR", "request_id": "VARCHAR", "model_id": "VARCHAR",
                "input_tokens": "BIGINT", "output_tokens": "BIGINT", "cache_read_input_tokens": "BIGINT",
                "cache_creation_input_tokens": "BIGINT"
            }'
        ) as data
    from ledger
    where event_type = 'usage.recorded'
)

select
    position,
    event_id,
    occurred_at,
    session_id,
    intent_id,
    agent.name as agent_name,
    coalesce(data.usage_key, event_id) as usage_key,
    data.message_id as message_id,
    data.request_id as request_id,
    coalesce(data.model_id, agent.model_id) as model_id,
    data.input_tokens as input_tokens,
    data.output_tokens as output_tokens,
    data.cache_read_input_tokens as cache_read_input_tokens,
    data.cache_creation_input_tokens as cache_creation_input_tokens
from typed;
