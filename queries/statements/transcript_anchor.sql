-- The event or call of a session that an id begins
select tool_call_id, strftime(occurred_at, '%Y-%m-%dT%H:%M:%S.%fZ') as occurred_at
from v_events
where session_id = $session and (starts_with(event_id, $id) or tool_call_id = $id)
order by position
limit 1
