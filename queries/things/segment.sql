-- One row is one segment of the ledger, or the tail that is open.
-- words: segment
-- figures: events
-- status=sealed: seal, sealed
-- status=open: open, unsealed, live
select
    coalesce(segments.segment, 'tail') as id,
    coalesce(segments.segment, 'tail') as what,
    case when segments.segment is null then 'open' else 'sealed' end as status,
    segments.events,
    segments.first_position as position
from v_segments as segments
