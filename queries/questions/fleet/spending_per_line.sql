-- What does a line cost that is still there after 30 days?
-- topic: the organisation
-- param by?: repository, owner, agent, model, class, intent, month; repository (if not told)
-- values by: repository, owner, agent, model, class, intent, month
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: dim, cost_microusd, lines_survived_30, microusd_per_line
-- (others): groups of fewer than five people, put together; what was too small even so is not counted. null: not known
-- lines that are not known for 30 days yet count as cost and not as lines, so recent months look dear
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
    cast(sum(lines_survived_30) as bigint) as lines_survived_30,
    round(1.0 * sum(cost_microusd) / nullif(sum(lines_survived_30), 0), 0) as microusd_per_line
from chosen
group by dim
having sum(cost_microusd) > 0
order by 2 desc, dim nulls last;
