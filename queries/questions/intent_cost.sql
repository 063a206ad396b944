-- What did each intent cost?
-- asked as: each intent cost, intent cost surviving, cost per surviving line, intent expensive|cost per line
-- topic: intents
-- param since?: only answers from this moment on
-- columns: intent_id, input_tokens, output_tokens, cost_microusd, usd_per_surviving_line, title, answers, unpriced, cache_read_input_tokens, cache_creation_input_tokens, lines_added, surviving_lines
-- each answer of a model counts once, however often it was reported. cost_microusd: at public list prices, without the
-- answers that are unpriced; null: all are. usd_per_surviving_line: null where an answer is unpriced, where `since` leaves
-- some out, or no line of it is left at HEAD
with
tokens as (
    select
        intent_id,
        count(*) as answers,
        count(*) filter (where cost_microusd is null) as unpriced,
        cast(sum(input_tokens) as bigint) as input_tokens,
        cast(sum(output_tokens) as bigint) as output_tokens,
        cast(sum(cache_read_input_tokens) as bigint) as cache_read_input_tokens,
        cast(sum(cache_creation_input_tokens) as bigint) as cache_creation_input_tokens,
        cast(sum(cost_microusd) as bigint) as cost_microusd
    from v_token_usage
    where $since is null or occurred_at >= $since
    group by intent_id
),

work as (
    select intent_id, cast(sum(lines_added) as bigint) as lines_added
    from v_mutations
    where contributor_type = 'ai' and ($since is null or occurred_at >= $since)
    group by intent_id
),

surviving as (
    select intent_id, count(*) as surviving_lines
    from v_blame_lines
    where contributor_type = 'ai'
    group by intent_id
)

select
    tokens.intent_id,
    tokens.input_tokens,
    tokens.output_tokens,
    tokens.cost_microusd,
    case
        when tokens.unpriced = 0 and $since is null then tokens.cost_microusd / 1e6 / surviving.surviving_lines
    end as usd_per_surviving_line,
    intents.title,
    tokens.answers,
    tokens.unpriced,
    tokens.cache_read_input_tokens,
    tokens.cache_creation_input_tokens,
    work.lines_added,
    coalesce(surviving.surviving_lines, 0) as surviving_lines
from tokens
left join work on work.intent_id is not distinct from tokens.intent_id
left join surviving on surviving.intent_id is not distinct from tokens.intent_id
left join v_intents as intents on intents.intent_id = tokens.intent_id
order by tokens.cost_microusd desc nulls last, tokens.output_tokens desc, tokens.intent_id nulls last;
