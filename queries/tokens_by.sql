-- How many tokens went where?
-- topic: sessions, tools and cost
-- param by: model, agent, intent, session or day
-- values by: model, agent, intent, session, day
-- param since?: only from this moment on
-- columns: dim, answers, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens
with
spent as (
    select
        case $by
            when 'model' then model_id
            when 'agent' then agent_name
            when 'intent' then intent_id
            when 'session' then session_id
            when 'day' then cast(cast(occurred_at as date) as varchar)
        end as dim,
        input_tokens,
        output_tokens,
        cache_read_input_tokens,
        cache_creation_input_tokens
    from v_token_usage
    where $since is null or occurred_at >= cast($since as timestamp)
)

select
    dim,
    count(*) as answers,
    sum(input_tokens) as input_tokens,
    sum(output_tokens) as output_tokens,
    sum(cache_read_input_tokens) as cache_read_input_tokens,
    sum(cache_creation_input_tokens) as cache_creation_input_tokens
from spent
group by dim
order by output_tokens desc, dim;
