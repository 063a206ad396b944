-- The last events behind a place in the ledger
select position, occurred_at
from v_events
where position > $after
order by position desc
limit $limit
