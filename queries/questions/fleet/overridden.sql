-- How much of what agents wrote did people change or take away?
-- topic: the organisation
-- param by?: repository, owner, agent, model, class, intent, month; agent (if not told)
-- values by: repository, owner, agent, model, class, intent, month
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: dim, lines_written, lines_overridden, overridden_pct
-- (others): groups of fewer than five people, put together; what was too small even so is not counted. null: not known
-- only what a person was seen doing
with
chosen as (
    select
        *,
        case coalesce($by, 'agent')
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
    cast(sum(lines_written) as bigint) as lines_written,
    cast(sum(lines_overridden) as bigint) as lines_overridden,
    round(100.0 * sum(lines_overridden) / nullif(sum(lines_written), 0), 1) as overridden_pct
from chosen
group by dim
having sum(lines_written) > 0
order by 3 desc, dim nulls last;
