-- One row is one lesson, however often it was learned.
-- words: lesson
-- figures: times
-- verbs: promote, forget, forgotten, come, came, learn, learnt, learned, apply, attach, concern, dictate, teach
-- verbs: state
-- status=forgotten: forget, forgotten
-- status=promoted: promote
-- kind=denial: denial, refusal
-- kind=verification: verification, test, failure
-- kind=command: command
-- kind=demand: demand, dictate, human, people, person
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
