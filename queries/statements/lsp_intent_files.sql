-- The files that were changed for an intent
select distinct path
from v_mutations
where intent_id = $intent_id
order by path
