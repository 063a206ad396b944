-- How much of what agents wrote was changed or taken away within 14 days?
-- topic: the organisation
-- param by?: repository, owner, agent, model, class, intent, month; class (if not told)
-- values by: repository, owner, agent, model, class, intent, month
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: dim, lines_written, lines_of_14_days, lines_reworked, reworked_pct
-- (others): groups of fewer than five people, put together; what was too small even so is not counted. null: not known
-- of the lines that are known for 14 days, ended or not
with
chosen as (
    select
        *,
        case coalesce($by, 'class')
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
    cast(sum(lines_of_14_days) as bigint) as lines_of_14_days,
    cast(sum(lines_reworked) as bigint) as lines_reworked,
    round(100.0 * sum(lines_reworked) / nullif(sum(lines_of_14_days), 0), 1) as reworked_pct
from chosen
group by dim
having sum(lines_written) > 0
order by 4 desc, dim nulls last;
