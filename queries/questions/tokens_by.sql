-- How many tokens went where?
-- topic: sessions, tools and cost
-- param by: model, agent, intent, session, day, month or total
-- values by: model, agent, intent, session, day, month, total
-- param since?: only from this moment on
-- param until?: only before this moment
-- param agent?: only answers to agents whose name has this in it
-- param model?: only answers of models whose name has this in it
-- param intent?: only answers for this intent
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
            when 'month' then substr(cast(cast(occurred_at as date) as varchar), 1, 7)
            when 'total' then '*'
        end as dim,
        input_tokens,
        output_tokens,
        cache_read_input_tokens,
        cache_creation_input_tokens
    from v_token_usage
    where
        ($since is null or occurred_at >= cast($since as timestamp))
        and ($until is null or occurred_at < cast($until as timestamp))
        and ($agent is null or instr(lower(agent_name), lower($agent)) > 0)
        and ($model is null or instr(lower(model_id), lower($model)) > 0)
        and ($intent is null or intent_id = $intent)
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
order by 4 desc, dim;
