-- One row is one answer of a model, with the tokens that it took.
-- words: usage, answer, response, token, cost, dollar, expense, spending, price, budget, inputtokens, outputtokens, cachedtokens, cachereadtokens, cachewritetokens
-- figures: tokens, input_tokens, output_tokens, cached_tokens, cache_read_tokens, cache_write_tokens, cost
-- verbs: cost, spend, spent, use, burn, burnt, work, wrote, consume, pay, paid, produce, generate, take, took, read
-- verbs: write, incur, cause, deliver
-- status=unpriced: unpriced
select
    used.usage_key as id,
    used.occurred_at as happened_at,
    used.agent_name as agent,
    used.model_id as model,
    used.intent_id as intent,
    used.session_id as session,
    sessions.human_id as person,
    case when used.cost_microusd is null then 'unpriced' else 'priced' end as status,
    'ai' as contributor,
    used.tokens,
    used.input_tokens,
    used.output_tokens,
    coalesce(used.cache_read_input_tokens, 0) + coalesce(used.cache_creation_input_tokens, 0) as cached_tokens,
    used.cache_read_input_tokens as cache_read_tokens,
    used.cache_creation_input_tokens as cache_write_tokens,
    used.cost_microusd as cost
from v_token_usage as used
left join v_sessions as sessions on sessions.session_id = used.session_id
