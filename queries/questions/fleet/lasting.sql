-- What share of the lines that agents wrote is still there after 30 and 90 days?
-- topic: the organisation
-- param by?: repository, owner, agent, model, class, intent, month; repository (if not told)
-- values by: repository, owner, agent, model, class, intent, month
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: dim, lines_written, survived_30_pct, survived_90_pct, known_30, known_90
-- (others): groups of fewer than five people, put together; what was too small even so is not counted. null: not known
-- of the lines that are known for so long, ended or not; white space, moves and renames end nothing. null: none is
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
    cast(sum(lines_written) as bigint) as lines_written,
    round(100.0 * sum(lines_survived_30) / nullif(sum(lines_of_30_days), 0), 1) as survived_30_pct,
    round(100.0 * sum(lines_survived_90) / nullif(sum(lines_of_90_days), 0), 1) as survived_90_pct,
    cast(sum(lines_of_30_days) as bigint) as known_30,
    cast(sum(lines_of_90_days) as bigint) as known_90
from chosen
group by dim
having sum(lines_written) > 0
order by 2 desc, dim nulls last;
