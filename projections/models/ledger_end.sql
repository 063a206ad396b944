-- one row is one ledger: how far it reaches, by the latest clock, since branches that were merged come in any order
-- needs: events
select
    max(position) as position,
    max(occurred_at) as ended_at,
    cast(floor(epoch(max(occurred_at))) as bigint) as ended_epoch
from events;
