-- One sealed file of the ledger, and when its first and last events were recorded
select
    segments.*,
    first.occurred_at as first_at,
    last.occurred_at as last_at
from v_segments as segments
left join v_events as first on first.position = segments.first_position
left join v_events as last on last.position = segments.last_position
where segments.segment = $id;
