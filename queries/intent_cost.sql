-- How many tokens did each intent take?
-- param since?: only from this moment on
-- columns: intent_id, title, answers, input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens, lines_added
with
tokens as (
    select
        intent_id,
        count(*) as answers,
        sum(input_tokens) as input_tokens,
        sum(output_tokens) as output_tokens,
        sum(cache_read_input_tokens) as cache_read_input_tokens,
        sum(cache_creation_input_tokens) as cache_creation_input_tokens
    from v_token_usage
    where $since is null or occurred_at >= cast($since as timestamp)
    group by intent_id
),

work as (
    select intent_id, sum(lines_added) as lines_added
    from v_mutations
    where contributor_type = 'ai' and ($since is null or occurred_at >= cast($since as timestamp))
    group by intent_id
)

select
    tokens.intent_id,
    intents.title,
    tokens.answers,
    tokens.input_tokens,
    tokens.output_tokens,
    tokens.cache_read_input_tokens,
    tokens.cache_creation_input_tokens,
    work.lines_added
from tokens
left join work on work.intent_id is not distinct from tokens.intent_id
left join v_intents as intents on intents.intent_id = tokens.intent_id
order by tokens.output_tokens desc, tokens.intent_id;
