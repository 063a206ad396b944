-- How long did each intent take from its creation to its completion?
-- asked as: intent take long, intent how long, intent duration, long intent, intent longest
-- asked as: start finish intent, slowest intent, fastest intent, intent quickest, intent took|take|last
-- topic: intents
-- param since?: only intents completed from this moment on
-- columns: intent_id, hours, sessions, reopens, title, created_at, completed_at, completions
-- hours null: its creation was not recorded. reopens: how often it was open again after having been finished
with
completed as (
    select intent_id, count(*) as completions
    from v_intent_history
    where event_type = 'intent.completed'
    group by intent_id
),

reopened as (
    select intent_id, count(until_position) as reopens
    from v_finished_spans
    group by intent_id
)

select
    intents.intent_id,
    round((intents.completed_epoch - intents.created_epoch) / 36e2, 1) as hours,
    intents.sessions,
    reopened.reopens,
    intents.title,
    intents.created_at,
    intents.completed_at,
    completed.completions
from v_intents as intents
inner join completed on completed.intent_id = intents.intent_id
inner join reopened on reopened.intent_id = intents.intent_id
where $since is null or intents.completed_at >= $since
order by intents.completed_at, intents.intent_id;
