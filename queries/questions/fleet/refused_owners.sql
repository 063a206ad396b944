-- Whose files are refused most?
-- topic: the organisation
-- param by?: repository, reason, agent, owner, month; owner (if not told)
-- values by: repository, reason, agent, owner, month
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: dim, refusals, let_through, done_anyway
-- (others): groups of fewer than five people, put together; what was too small even so is not counted. null: not known
with
chosen as (
    select
        *,
        case coalesce($by, 'owner')
            when 'repository' then repo_id
            when 'reason' then reason_code
            when 'agent' then agent_name
            when 'owner' then owner
            when 'month' then month
        end as dim
    from v_fleet_refusals
    where
        ($since is null or month >= substr($since || '', 1, 7)) and ($until is null or month < substr($until || '', 1, 7))
)

select
    dim,
    cast(sum(refusals) as bigint) as refusals,
    cast(sum(let_through) as bigint) as let_through,
    cast(sum(done_anyway) as bigint) as done_anyway
from chosen
group by dim
having sum(refusals) > 0
order by 2 desc, dim nulls last;
