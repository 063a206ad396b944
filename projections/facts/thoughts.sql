-- one row is one thing that an agent thought, as far as it was asked for
-- needs: ledger
-- types: thought.recorded
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "excerpt": "VARCHAR", "sha256": "VARCHAR", "commitment": "VARCHAR", "length": "BIGINT",
                "prompt_id": "VARCHAR", "agent_id": "VARCHAR"
            }'
        ) as data
    from ledger
    where event_type = 'thought.recorded'
)

select
    position,
    event_id,
    occurred_at,
    session_id,
    intent_id,
    agent.name as agent_name,
    agent.model_id as model_id,
    data.prompt_id as prompt_id,
    data.agent_id as agent_id,
    data.excerpt as thought_excerpt,
    coalesce(data.commitment, data.sha256) as thought_hash,
    data.length as thought_length
from typed;
