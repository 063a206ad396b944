-- One row is one event of the ledger.
-- words: event, thing, activity
-- verbs: happen, record, hold
-- via=imported: import
select
    events.event_id as id,
    events.occurred_at as happened_at,
    events.contributor_type as contributor,
    events.agent_name as agent,
    coalesce(events.model_id, sessions.model_id) as model,
    events.intent_id as intent,
    events.session_id as session,
    coalesce(events.agent_name, events.contributor_type) as who,
    events.path as file,
    events.event_type as type,
    events.event_type as what,
    events.branch,
    case when events.source is null then 'recorded' else 'imported' end as via,
    events.position
from v_events as events
left join v_sessions as sessions on sessions.session_id = events.session_id
