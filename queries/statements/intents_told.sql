-- What the ledger tells of each intent whole: the last state that a change of the registry led to.
select payload ->> 'intent_id' as intent_id, arg_max_null(payload -> 'after', position) as state
from v_events
where event_type in ('intent.created', 'intent.changed', 'intent.completed') and payload ->> 'intent_id' is not null
group by payload ->> 'intent_id'
