-- Which agents and models do the work?
-- topic: the organisation
-- param by?: repository, owner, agent, model, class, intent, month; model (if not told)
-- values by: repository, owner, agent, model, class, intent, month
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: dim, sessions, changes, tokens
-- (others): groups of fewer than five people, put together; what was too small even so is not counted. null: not known
with
chosen as (
    select
        *,
        case coalesce($by, 'model')
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
    cast(sum(sessions) as bigint) as sessions,
    cast(sum(changes) as bigint) as changes,
    cast(sum(tokens) as bigint) as tokens
from chosen
group by dim
having sum(sessions) + sum(changes) + sum(tokens) > 0
order by 2 desc, dim nulls last;
