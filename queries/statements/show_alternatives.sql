-- The ways that a decision did not take.
select option_text, why_rejected from v_decision_alternatives where decision_id = $id order by place;
