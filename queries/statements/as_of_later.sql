-- The first event of each run that happened after a moment
select begin, min(position)
from events asof join (select unnest($begins) as begin) as runs on events.position > runs.begin
where occurred_at > $moment
group by begin
