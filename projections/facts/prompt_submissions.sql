-- one row is one prompt as it was handed in
-- needs: ledger
-- types: prompt.submitted
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "prompt_id": "VARCHAR", "excerpt": "VARCHAR", "sha256": "VARCHAR", "commitment": "VARCHAR",
                "length": "BIGINT"
            }'
        ) as data
    from ledger
    where event_type = 'prompt.submitted'
)

select
    position,
    event_id,
    occurred_at,
    session_id,
    intent_id,
    agent.name as agent_name,
    data.prompt_id as prompt_id,
    data.excerpt as prompt_excerpt,
    coalesce(data.commitment, data.sha256) as prompt_hash,
    data.length as prompt_length
from typed;
