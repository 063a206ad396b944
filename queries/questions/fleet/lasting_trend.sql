-- Do the lines of later months last longer?
-- topic: the organisation
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: month, lines_written, survived_30_pct, survived_90_pct
-- month: in which the lines were written
select
    month,
    cast(sum(lines_written) as bigint) as lines_written,
    round(100.0 * sum(lines_survived_30) / nullif(sum(lines_of_30_days), 0), 1) as survived_30_pct,
    round(100.0 * sum(lines_survived_90) / nullif(sum(lines_of_90_days), 0), 1) as survived_90_pct
from v_fleet_work
where
    ($since is null or month >= substr($since || '', 1, 7)) and ($until is null or month < substr($until || '', 1, 7))
group by month
having sum(lines_written) > 0
order by month;
