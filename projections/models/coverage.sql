-- one row is one file at HEAD with how many of its lines have a known author
-- needs: blame_lines, events
with
last_event as (
    select cast(arg_max(occurred_at, position) as date) as activity_date
    from events
)

select
    activity_date,
    path,
    count(*) as lines_total,
    count(*) filter (where contributor_type <> 'unknown') as lines_known,
    count(*) filter (where evidence not in ('git', 'none', 'external', 'trailer')) as lines_recorded,
    count(*) filter (where contributor_type = 'ai') as lines_ai,
    count(*) filter (where mixed) as lines_mixed
from blame_lines
cross join last_event
group by activity_date, path;
