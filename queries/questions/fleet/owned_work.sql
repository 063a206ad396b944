-- Whose files do agents change most?
-- topic: the organisation
-- param by?: repository, owner, agent, model, class, intent, month; owner (if not told)
-- values by: repository, owner, agent, model, class, intent, month
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: dim, changes, lines_added, lines_written, lines_overridden
-- (others): groups of fewer than five people, put together; what was too small even so is not counted. null: not known
-- teams of CODEOWNERS as it was at the last push; of several owners the one that is named first
with
chosen as (
    select
        *,
        case coalesce($by, 'owner')
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
    cast(sum(changes) as bigint) as changes,
    cast(sum(lines_added) as bigint) as lines_added,
    cast(sum(lines_written) as bigint) as lines_written,
    cast(sum(lines_overridden) as bigint) as lines_overridden
from chosen
group by dim
having sum(changes) + sum(lines_written) > 0
order by 2 desc, dim nulls last;
