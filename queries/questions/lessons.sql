-- Which lessons were learned, how often, and are they still obeyed?
-- asked as: lesson obeyed, lesson ignored, lesson violated, lesson still broken, lesson learned how often
-- asked as: list lessons, all lessons, lesson broken
-- asked as: lesson repeatedly|twice|often, lesson come repeatedly
-- topic: decisions and lessons
-- param since?: only lessons that were learned from this moment on
-- param source?: only what this taught: denial, command, verification, demand
-- values source: denial, command, verification, demand
-- param least?: learned at least so often, 1 if not told
-- columns: lesson_id, intent_id, promoted_to, violations_after, times, sessions, source, reason_code, path, title, resolution, pattern, intent_ids, first_at, last_at
-- violations_after of a refusal: the same refusal of the same file, folder, tool or program after it was learned first, also
-- one that was only noted; of a failure: how often it was learned again; null: nobody can tell, as of what a person said.
-- promoted_to: the instruction file into which a person put it; null: none, or not recorded
with
denied as (
    select verdict_id, position, reason_code, tool_name, tool_call_id, session_id
    from v_verdicts
    where verdict = 'deny'
),

judged as (
    select verdict_id, reason_code, path
    from v_judged_paths
    where reason_code is not null and verdict_id in (select verdict_id from denied)
),

calls as (
    select tool_call_id, session_id, path, command
    from v_tool_calls
    where tool_call_id in (select tool_call_id from denied)
),

refused as (
    select
        denied.verdict_id as verdict_id,
        denied.position as position,
        coalesce(judged.reason_code, denied.reason_code) as reason_code,
        coalesce(judged.path, calls.path) as path,
        calls.command as command,
        denied.tool_name as tool_name
    from denied
    left join judged on judged.verdict_id = denied.verdict_id
    left join calls on calls.tool_call_id = denied.tool_call_id and calls.session_id = denied.session_id
),

repeated as (
    select lessons.lesson_id as lesson_id, cast(count(distinct refused.verdict_id) as bigint) as violations
    from v_lessons as lessons
    inner join refused
        on refused.reason_code = lessons.reason_code
        and refused.position > lessons.first_position
        and (
            lessons.path is null
            or refused.path = lessons.path
            or refused.tool_name = lessons.path
            or substr(refused.command, 1, length(lessons.path)) = lessons.path
            or (
                substr(lessons.path, length(lessons.path) - 2) = '/**'
                and substr(refused.path, 1, length(lessons.path) - 2)
                = substr(lessons.path, 1, length(lessons.path) - 2)
            )
        )
    where lessons.source = 'denial'
    group by lessons.lesson_id
)

select
    lessons.lesson_id,
    lessons.intent_id,
    lessons.promoted_to,
    case lessons.source
        when 'denial' then coalesce(repeated.violations, 0)
        when 'command' then lessons.times - 1
        when 'verification' then lessons.times - 1
    end as violations_after,
    lessons.times,
    lessons.sessions,
    lessons.source,
    lessons.reason_code,
    lessons.path,
    lessons.title,
    lessons.resolution,
    lessons.pattern,
    lessons.intent_ids,
    lessons.first_at,
    lessons.last_at
from v_lessons as lessons
left join repeated on repeated.lesson_id = lessons.lesson_id
where
    not lessons.forgotten
    and ($source is null or lessons.source = $source)
    and lessons.times >= coalesce(cast($least as bigint), 1)
    and ($since is null or lessons.last_at >= $since)
order by lessons.times desc, lessons.position desc;
