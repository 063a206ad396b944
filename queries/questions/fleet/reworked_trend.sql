-- Is less of it changed again than before?
-- topic: the organisation
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: month, lines_written, lines_reworked, reworked_pct
select
    month,
    cast(sum(lines_written) as bigint) as lines_written,
    cast(sum(lines_reworked) as bigint) as lines_reworked,
    round(100.0 * sum(lines_reworked) / nullif(sum(lines_of_14_days), 0), 1) as reworked_pct
from v_fleet_work
where
    ($since is null or month >= substr($since || '', 1, 7)) and ($until is null or month < substr($until || '', 1, 7))
group by month
having sum(lines_written) > 0
order by month;
