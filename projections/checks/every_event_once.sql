-- events or places that stand twice: the tables must hold every event of the ledger once
-- needs: events
with
twice as (
    select event_id, min(position) as position, count(*) as times
    from events
    group by event_id
    having count(*) > 1
    union all
    select min(event_id), position, count(*)
    from events
    group by position
    having count(*) > 1
)

from twice
order by position, event_id;
