-- intents with a history that has no present state, or more than one
-- needs: intent_history
select intent_id, count(*) as states, count(*) filter (where valid_to is null) as present_states
from intent_history
group by intent_id
having count(*) filter (where valid_to is null) <> 1
order by intent_id;
