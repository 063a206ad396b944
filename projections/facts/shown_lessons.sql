-- one row is one lesson that an agent was told with its intent
-- needs: ledger
-- types: lessons.shown
with
typed as (
    select *, json_transform(payload, '{"lesson_ids": ["VARCHAR"]}') as data
    from ledger
    where event_type = 'lessons.shown'
)

select
    position,
    event_id,
    occurred_at,
    session_id,
    intent_id,
    generate_subscripts(data.lesson_ids, 1) as place,
    unnest(data.lesson_ids) as lesson_id
from typed;
