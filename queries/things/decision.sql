-- One row is one decision, as it was recorded last.
-- words: decision, adr
-- verbs: decide, record, make, made, take, taken, apply, govern, affect, concern, touch, hold
-- status=accepted: accept, accepted
-- status=rejected: reject, rejected
-- status=proposed: propose, proposed, pending
-- status=superseded: supersede, superseded, obsolete, outdated, replaced, overruled
select
    decisions.decision_id as id,
    decisions.occurred_at as happened_at,
    decisions.contributor_type as contributor,
    sessions.agent_name as agent,
    sessions.model_id as model,
    decisions.intent_id as intent,
    decisions.session_id as session,
    coalesce(sessions.agent_name, decisions.contributor_type) as who,
    decisions.title as what,
    decisions.rationale as reason,
    decisions.status,
    decisions.supersedes_id as replaced,
    decisions.superseded_by_id as successor,
    places.file,
    ways.alternatives
from v_decisions as decisions
left join v_sessions as sessions on sessions.session_id = decisions.session_id
left join (
    select decision_id, string_agg(path, chr(10) order by place) as file
    from v_decision_lines
    group by decision_id
) as places on places.decision_id = decisions.decision_id
left join (
    select
        decision_id,
        string_agg(option_text || coalesce(' (' || why_rejected || ')', ''), '; ' order by place) as alternatives
    from v_decision_alternatives
    group by decision_id
) as ways on ways.decision_id = decisions.decision_id
