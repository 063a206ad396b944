-- How much of what changed was seen happening?
-- topic: the organisation
-- param by?: repository, owner, agent, model, class, intent, month; repository (if not told)
-- values by: repository, owner, agent, model, class, intent, month
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: dim, recorded, observed, imported, found, observed_pct
-- (others): groups of fewer than five people, put together; what was too small even so is not counted. null: not known
-- changed files, by whomever. imported: read in the records of an agent afterwards; found: nobody was looking
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
    cast(sum(recorded) as bigint) as recorded,
    cast(sum(observed) as bigint) as observed,
    cast(sum(imported) as bigint) as imported,
    cast(sum(found) as bigint) as found,
    round(100.0 * sum(observed) / nullif(sum(recorded), 0), 1) as observed_pct
from chosen
group by dim
having sum(recorded) > 0
order by 5 desc, dim nulls last;
