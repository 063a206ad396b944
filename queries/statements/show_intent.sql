-- One intent.
select *
from v_intents
where intent_id = $id;
