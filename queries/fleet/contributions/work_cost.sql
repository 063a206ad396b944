-- answers of models, with the tokens they took and what these cost at public list prices
select
    strftime(usage.occurred_at, '%Y-%m') as month,  -- month of the answer, UTC
    subjects.owner as owner,                        -- team whose files its session changed most
    usage.agent_name as agent_name,                 -- product
    usage.model_id as model_id,                     -- model
    subjects.change_class as change_class,          -- what most changes of its session were
    usage.intent_id as intent_id,                   -- intent that was selected
    writers.person as person,
    count(*) as answers,                            -- answers
    count(*) filter (where usage.cost_microusd is null) as unpriced,  -- of them by models whose price is not known
    coalesce(sum(usage.tokens), 0)::bigint as tokens,                 -- tokens of all four kinds
    coalesce(sum(usage.cost_microusd), 0)::bigint as cost_microusd    -- at public list prices, in millionths of a dollar
from v_token_usage as usage
left join session_subjects as subjects on subjects.session_id = usage.session_id
left join writers on usage.position between writers.first_position and writers.last_position
group by all;
