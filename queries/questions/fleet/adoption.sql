-- How much are agents used?
-- topic: the organisation
-- param by?: repository, owner, agent, model, class, intent, month; repository (if not told)
-- values by: repository, owner, agent, model, class, intent, month
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: dim, sessions, prompts, changes, lines_added
-- (others): groups of fewer than five people, put together; what was too small even so is not counted. null: not known
-- a session counts in the month of its first event; changes: files that agents changed, each as often as they did
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
    cast(sum(sessions) as bigint) as sessions,
    cast(sum(prompts) as bigint) as prompts,
    cast(sum(changes) as bigint) as changes,
    cast(sum(lines_added) as bigint) as lines_added
from chosen
group by dim
having sum(sessions) > 0
order by 2 desc, dim nulls last;
