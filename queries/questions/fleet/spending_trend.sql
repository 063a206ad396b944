-- Does it cost more, month by month?
-- topic: the organisation
-- param since?: only months from that of this moment on
-- param until?: only months before that of this moment
-- columns: month, cost_microusd, tokens, answers, unpriced
select
    month,
    cast(sum(cost_microusd) as bigint) as cost_microusd,
    cast(sum(tokens) as bigint) as tokens,
    cast(sum(answers) as bigint) as answers,
    cast(sum(unpriced) as bigint) as unpriced
from v_fleet_work
where
    ($since is null or month >= substr($since || '', 1, 7)) and ($until is null or month < substr($until || '', 1, 7))
group by month
having sum(answers) > 0
order by month;
