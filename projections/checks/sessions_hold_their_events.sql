-- sessions that count their events wrongly
-- needs: events, sessions
with
counted as (
    select session_id, count(*) as events
    from events
    where session_id is not null
    group by session_id
)

select
    coalesce(sessions.session_id, counted.session_id) as session_id,
    sessions.events as events_said,
    counted.events as events_found
from sessions
full join counted on counted.session_id = sessions.session_id
where sessions.events is distinct from counted.events
order by 1;
