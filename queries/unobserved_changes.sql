-- Which files changed while nobody was looking?
-- param since?: only what was found from this moment on
-- columns: path, times, lines_added, lines_deleted, first_found_at, last_found_at
select
    path,
    count(*) as times,
    sum(lines_added) as lines_added,
    sum(lines_deleted) as lines_deleted,
    min(occurred_at) as first_found_at,
    max(occurred_at) as last_found_at
from v_mutations
where via = 'unseen' and not snapshot and ($since is null or occurred_at >= cast($since as timestamp))
group by path
order by times desc, path;
