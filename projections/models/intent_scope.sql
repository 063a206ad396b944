-- one row is one pattern of the scope that an intent has now
-- needs: intents
with
patterns as (
    select
        intent_id,
        generate_subscripts(from_json(scope, '["VARCHAR"]'), 1) as place,
        unnest(from_json(scope, '["VARCHAR"]')) as pattern
    from intents
    where json_type(scope) = 'ARRAY'
)

select
    intent_id,
    place,
    ltrim(pattern, '!') as path_pattern,
    case when starts_with(pattern, '!') then 'exclude' else 'include' end as effect
from patterns;
