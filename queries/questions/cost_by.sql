-- What did it cost, by model, agent, person, day or month?
-- topic: sessions, tools and cost
-- param dim: model, agent, person, intent, session, day, month or total
-- values dim: model, agent, person, intent, session, day, month, total
-- param since?: only answers from this moment on
-- param until?: only answers before this moment
-- param agent?: only answers to agents whose name has this in it
-- param model?: only answers of models whose name has this in it
-- param intent?: only answers for this intent
-- param session?: only answers in this session
-- columns: dim, cost_microusd, tokens, answers, unpriced, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens
-- each answer of a model counts once. cost_microusd: at public list prices, without the answers that are unpriced; null: all
-- are. tokens: of all four kinds. dim null: not known
with
spent as (
    select
        case $dim
            when 'model' then usage.model_id
            when 'agent' then usage.agent_name
            when 'person' then sessions.human_id
            when 'intent' then usage.intent_id
            when 'session' then usage.session_id
            when 'day' then substr(usage.activity_date || '', 1, 10)
            when 'month' then substr(usage.activity_date || '', 1, 7)
            when 'total' then '*'
        end as dim,
        usage.cost_microusd as cost,
        usage.tokens as used,
        usage.input_tokens as input_tokens,
        usage.output_tokens as output_tokens,
        usage.cache_read_input_tokens as cache_read_input_tokens,
        usage.cache_creation_input_tokens as cache_creation_input_tokens
    from v_token_usage as usage
    left join v_sessions as sessions on sessions.session_id = usage.session_id
    where
        ($since is null or usage.occurred_at >= $since)
        and ($until is null or usage.occurred_at < $until)
        and ($agent is null or instr(lower(usage.agent_name), lower($agent)) > 0)
        and ($model is null or instr(lower(usage.model_id), lower($model)) > 0)
        and ($intent is null or usage.intent_id = $intent)
        and ($session is null or usage.session_id = $session)
)

select
    dim,
    cast(sum(cost) as bigint) as cost_microusd,
    cast(sum(used) as bigint) as tokens,
    count(*) as answers,
    count(*) filter (where cost is null) as unpriced,
    cast(sum(input_tokens) as bigint) as input_tokens,
    cast(sum(output_tokens) as bigint) as output_tokens,
    cast(sum(cache_read_input_tokens) as bigint) as cache_read_input_tokens,
    cast(sum(cache_creation_input_tokens) as bigint) as cache_creation_input_tokens
from spent
group by dim
order by cost_microusd desc nulls last, tokens desc, dim nulls last;
