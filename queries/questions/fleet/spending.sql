-- What did it cost, by repository, owner, agent, model, intent or class?
-- topic: the organisation
-- param by?: repository, owner, agent, model, class, intent, month; repository (if not told)
-- values by: repository, owner, agent, model, class, intent, month
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: dim, cost_microusd, tokens, answers, unpriced
-- (others): groups of fewer than five people, put together; what was too small even so is not counted. null: not known
-- at public list prices, without the answers that are unpriced. owner and class: of most that the session changed
with
chosen as (
    select
        *,
        case coalesce($by, 'repository')
            when 'repository' then repo_id
            when 'owner' then owner
            when 'agent' then agent_name
            when 'model' then model_id
            when 'class' then change_class
            when 'intent' then intent_id
            when 'month' then month
        end as dim
    from v_fleet_work
    where
        ($since is null or month >= substr($since || '', 1, 7)) and ($until is null or month < substr($until || '', 1, 7))
)

select
    dim,
    cast(sum(cost_microusd) as bigint) as cost_microusd,
    cast(sum(tokens) as bigint) as tokens,
    cast(sum(answers) as bigint) as answers,
    cast(sum(unpriced) as bigint) as unpriced
from chosen
group by dim
having sum(answers) > 0
order by 2 desc, dim nulls last;
