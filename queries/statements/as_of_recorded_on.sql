-- The last event of each run that was recorded on one of these commits
select begin, max(position)
from events asof join (select unnest($begins) as begin) as runs on events.position > runs.begin
where vcs_revision in (select unnest(cast($revisions as varchar[])))
group by begin
