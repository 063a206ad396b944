-- Is more of what changes recorded than before?
-- topic: the organisation
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: month, recorded, observed_pct, found_pct
select
    month,
    cast(sum(recorded) as bigint) as recorded,
    round(100.0 * sum(observed) / nullif(sum(recorded), 0), 1) as observed_pct,
    round(100.0 * sum(found) / nullif(sum(recorded), 0), 1) as found_pct
from v_fleet_work
where
    ($since is null or month >= substr($since || '', 1, 7)) and ($until is null or month < substr($until || '', 1, 7))
group by month
having sum(recorded) > 0
order by month;
