-- What the imported sessions took, by model
select
    model_id,
    count(*) as answers,
    sum(input_tokens)::bigint as input_tokens,
    sum(output_tokens)::bigint as output_tokens,
    sum(cache_read_input_tokens)::bigint as cache_read_input_tokens,
    sum(cache_creation_input_tokens)::bigint as cache_creation_input_tokens
from token_usage
group by model_id
order by answers desc, model_id
