-- The contents that were erased, and when
select distinct json_extract_string(payload, '$.sha256') as sha256, strftime(occurred_at, '%Y-%m-%d') as day
from v_events
where event_type = 'payload.erased'
