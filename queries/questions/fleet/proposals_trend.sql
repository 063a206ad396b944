-- Are more proposals accepted than before?
-- topic: the organisation
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: month, proposed, acceptance_pct, changed_pct, rejected_pct
select
    month,
    cast(sum(proposed) as bigint) as proposed,
    round(100.0 * sum(accepted + changed) / nullif(sum(accepted + changed + rejected), 0), 1) as acceptance_pct,
    round(100.0 * sum(changed) / nullif(sum(proposed), 0), 1) as changed_pct,
    round(100.0 * sum(rejected) / nullif(sum(proposed), 0), 1) as rejected_pct
from v_fleet_work
where
    ($since is null or month >= substr($since || '', 1, 7)) and ($until is null or month < substr($until || '', 1, 7))
group by month
having sum(proposed) > 0
order by month;
