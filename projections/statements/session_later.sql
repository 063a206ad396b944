-- The sessions of later events, and whether each event says something about its own session alone
select
    session_id,
    bool_and(
        list_contains($local, event_type)
        and (intent_id is null or intent_id in (
            select known.intent_id
            from events as known
            where known.position <= $after and known.intent_id is not null
        ))
    ) as is_local
from events
where position > $after
group by session_id
