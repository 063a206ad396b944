-- one row is one ledger: how far it reaches
-- needs: events
select
    position,
    occurred_at as ended_at,
    cast(floor(epoch(occurred_at)) as bigint) as ended_epoch
from events
order by position desc
limit 1;
