-- One decision.
select *
from v_decisions
where decision_id = $id;
