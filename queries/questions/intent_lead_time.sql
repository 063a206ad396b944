-- How long did each intent take from its creation to its completion?
-- asked as: intent take long, lead time, intent how long, intent duration, long intent, intent longest
-- asked as: slowest intent, fastest intent, intent long, intent quickest
-- asked as: intent took|take|last
-- topic: intents
-- param since?: only intents completed from this moment on
-- columns: intent_id, hours, sessions, reopens, title, created_at, completed_at, completions
-- hours null: its creation was not recorded. reopens: how often it was open again after having been finished
with
states as (
    select
        intent_id,
        position,
        event_type,
        case
            when event_type = 'intent.completed' or status in ('DONE', 'COMPLETED') then 1
            else 0
        end as finished
    from v_intent_history
),

turns as (
    select
        intent_id,
        event_type,
        finished,
        lag(finished) over (partition by intent_id order by position) as finished_before
    from states
),

counted as (
    select
        intent_id,
        count(*) filter (where event_type = 'intent.completed') as completions,
        count(*) filter (where finished = 0 and finished_before = 1) as reopens
    from turns
    group by intent_id
)

select
    intents.intent_id,
    round((intents.completed_epoch - intents.created_epoch) / 36e2, 1) as hours,
    intents.sessions,
    counted.reopens,
    intents.title,
    intents.created_at,
    intents.completed_at,
    counted.completions
from v_intents as intents
inner join counted on counted.intent_id = intents.intent_id
where counted.completions > 0 and ($since is null or intents.completed_at >= $since)
order by intents.completed_at, intents.intent_id;
