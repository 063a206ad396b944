-- one row is one answer of a model and the tokens it took: the last record of a key wins
-- needs: usage_records
with
ranked as (
    select *, row_number() over (partition by usage_key order by position desc) as nth
    from usage_records
)

select
    usage_key,
    position,
    event_id,
    occurred_at,
    session_id,
    intent_id,
    agent_name,
    model_id,
    input_tokens,
    output_tokens,
    cache_read_input_tokens,
    cache_creation_input_tokens
from ranked
where nth = 1;
