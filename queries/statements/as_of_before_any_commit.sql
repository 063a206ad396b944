-- The last event of each run that was recorded while there was no commit
-- What was recorded while there was no commit: HEAD had none, and has none in any event before.
select begin, max(position)
from events asof join (select unnest($begins) as begin) as runs on events.position > runs.begin
where
    vcs_type = 'git'
    and vcs_revision is null
    and position < coalesce((select min(position) from events where vcs_revision is not null), position + 1)
group by begin
