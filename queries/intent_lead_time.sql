-- How long did each intent take from its creation to its completion?
-- param since?: only intents completed from this moment on
-- columns: intent_id, title, created_at, completed_at, hours, sessions, completions
with
completions as (
    select intent_id, count(*) as completions
    from v_intent_history
    where event_type = 'intent.completed'
    group by intent_id
)

select
    intents.intent_id,
    intents.title,
    intents.created_at,
    intents.completed_at,
    round(extract(epoch from intents.completed_at - intents.created_at) / 3600, 1) as hours,
    intents.sessions,
    completions.completions
from v_intents as intents
inner join completions on completions.intent_id = intents.intent_id
where $since is null or intents.completed_at >= cast($since as timestamp)
order by intents.completed_at, intents.intent_id;
