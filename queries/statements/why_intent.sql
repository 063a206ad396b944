-- One intent
select intent_id, title, status, cast(scope as varchar) as scope
from v_intents
where intent_id = $intent_id
