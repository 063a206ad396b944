-- positions that do not follow the one before by one: the tables must hold every line of the ledger once
-- needs: events
with
neighbours as (
    select event_id, position, lag(position, 1, 0) over (order by position) as before
    from events
)

select event_id, position, before
from neighbours
where position <> before + 1
order by position;
