-- What was decided in stretches of the ledger; $first and $last are their ends.
with stretches as (
    select unnest($first) as first_position, unnest($last) as last_position
)

select decisions.title, decisions.rationale, decisions.intent_id,
    (select count(*) from v_decision_alternatives as alternatives
        where alternatives.decision_id = decisions.decision_id) as alternatives
from v_decisions as decisions
inner join stretches on decisions.position between stretches.first_position and stretches.last_position
order by decisions.position, decisions.decision_id
