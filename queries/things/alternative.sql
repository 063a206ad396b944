-- One row is one way that a decision did not take.
-- words: alternative, option
-- verbs: reject, decide, leave, left, consider, discard, dismiss, weigh, name
select
    ways.decision_id || '/' || ways.place as id,
    decisions.occurred_at as happened_at,
    decisions.contributor_type as contributor,
    sessions.agent_name as agent,
    sessions.model_id as model,
    decisions.intent_id as intent,
    decisions.session_id as session,
    ways.decision_id as decision,
    ways.option_text as what,
    decisions.title as context,
    ways.why_rejected as reason
from v_decision_alternatives as ways
inner join v_decisions as decisions on decisions.decision_id = ways.decision_id
left join v_sessions as sessions on sessions.session_id = decisions.session_id
