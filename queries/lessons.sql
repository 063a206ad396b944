-- What went wrong here before, and how often?
-- param source?: only what this taught: denial, command, verification, demand
-- param least?: learned at least so often, 1 if not told
-- columns: lesson_id, times, sessions, source, reason_code, path, title, intent_ids, first_at, last_at
select
    lesson_id,
    times,
    sessions,
    source,
    reason_code,
    path,
    title,
    intent_ids,
    first_at,
    last_at
from v_lessons
where
    not forgotten
    and ($source is null or source = $source)
    and times >= coalesce(cast($least as integer), 1)
order by times desc, position desc;
