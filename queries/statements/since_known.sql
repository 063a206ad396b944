-- Which files a session read or wrote
select distinct paths.path
from v_event_paths as paths
inner join v_events as events on events.event_id = paths.event_id
where
    events.session_id = $session_id
    and events.event_type in ('tool.requested', 'mutation.observed')
    and not starts_with(paths.path, 'outside:')
order by paths.path
