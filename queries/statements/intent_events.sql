-- The events that were recorded for an intent, beside those that say what the registry says of it.
-- param id: the intent
select count(*) as events
from v_events
where intent_id = $id
    and event_type not in ('intent.created', 'intent.changed');
