-- One event.
select *
from v_events
where event_id = $id;
