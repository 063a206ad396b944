-- One row is one lesson, however often it was learned.
-- words: lesson
-- figures: times
select
    lesson_id as id,
    first_at as happened_at,
    intent_ids as intent,
    path as file,
    title as what,
    body as reason,
    source as kind,
    reason_code as code,
    case when forgotten then 'forgotten' when promoted_to is not null then 'promoted' else 'open' end as status,
    times,
    last_at
from v_lessons
