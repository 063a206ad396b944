-- What was refused, and what became of it?
-- topic: the organisation
-- param by?: repository, reason, agent, owner, month; reason (if not told)
-- values by: repository, reason, agent, owner, month
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: dim, refusals, only_noted, let_through, done_anyway, another_way, given_up
-- (others): groups of fewer than five people, put together; what was too small even so is not counted. null: not known
-- only_noted: the gate only observed. let_through: a person said yes. done_anyway: it happened without a yes. another_way: the
-- same tool went on in that session with something else. given_up: none of these
with
chosen as (
    select
        *,
        case coalesce($by, 'reason')
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
    cast(sum(only_noted) as bigint) as only_noted,
    cast(sum(let_through) as bigint) as let_through,
    cast(sum(done_anyway) as bigint) as done_anyway,
    cast(sum(another_way) as bigint) as another_way,
    cast(sum(given_up) as bigint) as given_up
from chosen
group by dim
having sum(refusals) > 0
order by 2 desc, dim nulls last;
