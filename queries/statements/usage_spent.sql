-- Tokens and costs by quarter of an hour, session, agent, intent and model
select
    cast(floor(epoch(occurred_at) / 900) as bigint) as quarter,
    session_id,
    agent_name,
    intent_id,
    model_id,
    count(*) as answers,
    sum(input_tokens) as input_tokens,
    sum(output_tokens) as output_tokens,
    sum(cache_creation_input_tokens) as cache_creation_input_tokens,
    sum(cache_read_input_tokens) as cache_read_input_tokens,
    sum(cost_microusd) as cost_microusd,
    count(*) filter (where cost_microusd is null) as unpriced
from v_token_usage
where ($since is null or occurred_at >= $since) and ($until is null or occurred_at < $until)
group by all
order by all
