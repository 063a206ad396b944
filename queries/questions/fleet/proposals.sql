-- How many proposals of agents were accepted, changed first, or rejected?
-- topic: the organisation
-- param by?: repository, owner, agent, model, class, intent, month; agent (if not told)
-- values by: repository, owner, agent, model, class, intent, month
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: dim, proposed, accepted, changed, rejected, acceptance_pct, failed, unfinished
-- (others): groups of fewer than five people, put together; what was too small even so is not counted. null: not known
-- a proposal is a call that writes, edits or deletes a file; those that the gate stopped or asked about are in @refused
-- acceptance_pct: accepted and changed, of these and the rejected
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
    cast(sum(proposed) as bigint) as proposed,
    cast(sum(accepted) as bigint) as accepted,
    cast(sum(changed) as bigint) as changed,
    cast(sum(rejected) as bigint) as rejected,
    round(100.0 * sum(accepted + changed) / nullif(sum(accepted + changed + rejected), 0), 1) as acceptance_pct,
    cast(sum(failed) as bigint) as failed,
    cast(sum(unfinished) as bigint) as unfinished
from chosen
group by dim
having sum(proposed) > 0
order by 2 desc, dim nulls last;
