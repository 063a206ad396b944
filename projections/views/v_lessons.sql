-- one row is one lesson, however often it was learned
-- needs: lessons, promoted_lessons
with
promoted as (
    select lesson_id as promoted_id, min(path) as promoted_to
    from promoted_lessons
    group by lesson_id
)

select
    lesson_id,       -- lesson, the same wherever and by whomever it is learned
    position,        -- place of its last record in the order of all events
    event_id,        -- event of its last record
    intent_id,       -- intent it was learned for last
    first_at,        -- when it was learned first, UTC
    first_position,  -- place of its first record in the order of all events
    last_at,         -- when it was learned last, UTC
    times,           -- how often it was learned
    sessions,        -- conversations that learned it
    title,           -- what it says
    body,            -- what was said when it was learned last
    resolution,      -- how it is put right, as was said last; null: nobody said
    pattern,         -- by what it is known when it comes again, as was said last; null: nobody said
    source,          -- what taught it: denial, command, verification, demand
    reason_code,     -- the refusal or failure as a stable word
    path,            -- file, folder or program that it is about
    intent_ids,      -- intents it was learned for, with commas between them
    promoted_to,     -- instruction file that tells it, as HEAD has it
    forgotten        -- whether a person wants it shown no more
from lessons
left join promoted on promoted.promoted_id = lessons.lesson_id;
