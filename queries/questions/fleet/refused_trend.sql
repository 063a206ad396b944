-- Are agents refused more or less than before?
-- topic: the organisation
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: month, refusals, only_noted, let_through, done_anyway, another_way, given_up
select
    month,
    cast(sum(refusals) as bigint) as refusals,
    cast(sum(only_noted) as bigint) as only_noted,
    cast(sum(let_through) as bigint) as let_through,
    cast(sum(done_anyway) as bigint) as done_anyway,
    cast(sum(another_way) as bigint) as another_way,
    cast(sum(given_up) as bigint) as given_up
from v_fleet_refusals
where
    ($since is null or month >= substr($since || '', 1, 7)) and ($until is null or month < substr($until || '', 1, 7))
group by month
having sum(refusals) > 0
order by month;
