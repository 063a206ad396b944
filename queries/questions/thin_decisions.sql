-- Which decisions have no rationale, or name no alternative?
-- asked as: thin decision, decision lack rationale
-- asked as: decision missing|lack|without|no reason|rationale|alternative|justification
-- how many: decision
-- topic: decisions and lessons
-- columns: decision_id, title, missing, intent_id, session_id, occurred_at
with
counted as (
    select decisions.decision_id as decision_id, count(alternatives.place) as alternatives
    from v_decisions as decisions
    left join v_decision_alternatives as alternatives on alternatives.decision_id = decisions.decision_id
    group by decisions.decision_id
)

select
    decisions.decision_id,
    decisions.title,
    case
        when coalesce(decisions.rationale, '') <> '' then 'alternatives'
        when counted.alternatives > 0 then 'rationale'
        else 'rationale, alternatives'
    end as missing,
    decisions.intent_id,
    decisions.session_id,
    decisions.occurred_at
from v_decisions as decisions
inner join counted on counted.decision_id = decisions.decision_id
where coalesce(decisions.rationale, '') = '' or counted.alternatives = 0
order by decisions.position;
