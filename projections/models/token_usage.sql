-- one row is one answer of a model and the tokens it took: the last record of a key wins
-- needs: usage_records, prices
-- by: usage_key
-- a session that goes on from a copy of another records its answers again: they stay those of the first
with
ranked as (
    select
        * exclude (session_id, intent_id),
        row_number() over (partition by usage_key order by position desc) as nth,
        first_value(session_id ignore nulls) over first_to_last as session_id,
        first_value(intent_id ignore nulls) over first_to_last as intent_id
    from usage_records
    window first_to_last as (
        partition by usage_key order by position rows between unbounded preceding and unbounded following
    )
),

-- a name may have its provider before it, and the day of its release behind it; every other name is another model
models as (
    select
        model_id,
        regexp_replace(
            regexp_replace(lower(model_id), '^.*/', ''), '([-@](20\d{6}|20\d\d-\d\d-\d\d)|-latest|-preview|-0)$', ''
        ) as model
    from (
        select distinct model_id
        from usage_records
    )
),

-- of the prices of a model the one that held at that time
priced as (
    select
        ranked.position as position,
        prices.*,
        row_number() over (partition by ranked.position order by prices.valid_from desc nulls last) as nth
    from ranked
    inner join models on models.model_id = ranked.model_id
    inner join prices
        on prices.model = models.model
        and (prices.valid_from is null or prices.valid_from <= ranked.occurred_at)
        and (
            prices.up_to_tokens is null
            or coalesce(ranked.input_tokens, 0)
            + coalesce(ranked.cache_read_input_tokens, 0)
            + coalesce(ranked.cache_creation_input_tokens, 0) <= prices.up_to_tokens
        )
    where ranked.nth = 1
)

select
    usage_key,
    ranked.position as position,
    event_id,
    occurred_at,
    cast(occurred_at as date) as activity_date,
    session_id,
    intent_id,
    agent_name,
    model_id,
    input_tokens,
    output_tokens,
    cache_read_input_tokens,
    cache_creation_input_tokens,
    coalesce(input_tokens, 0)
    + coalesce(output_tokens, 0)
    + coalesce(cache_read_input_tokens, 0)
    + coalesce(cache_creation_input_tokens, 0) as tokens,
    -- a dollar for a million tokens is a millionth of a dollar for one; of a cache that is not spoken of nothing was used
    cast(
        round(
            input_tokens * priced.input
            + output_tokens * priced.output
            + case when coalesce(cache_read_input_tokens, 0) = 0 then 0 else cache_read_input_tokens * cache_read end
            + case
                when coalesce(cache_creation_input_tokens, 0) = 0 then 0
                else cache_creation_input_tokens * cache_write
            end
        ) as bigint
    ) as cost_microusd
from ranked
left join priced on priced.position = ranked.position and priced.nth = 1
where ranked.nth = 1;
