-- What is known of these intents
select intent_id, title, status, owner
from v_intents
where intent_id in (select unnest($names))
order by intent_id
