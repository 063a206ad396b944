-- What happened of one call of a tool.
select position as seq, event_type, occurred_at, path, verdict
from v_events
where tool_call_id = $id
order by position;
