-- Which lessons were agents shown, and did they heed them?
-- asked as: lessons heeded, lesson ignored shown
-- topic: decisions and lessons
-- param since?: only what was shown from this moment on
-- columns: lesson_id, shown, followed, followed_rate, not_followed, source, reason_code, path, title, last_shown_at
-- shown: sessions in which the agent was told the lesson with its intent; what somebody reads in AGENT.md is not known.
-- followed: of these, sessions in which the refusal that taught it did not come again afterwards; that does not say why.
-- null: nothing that is recorded could show it, as of lessons that people or failed commands taught
with
shown as (
    select lesson_id, session_id, min(position) as position, max(occurred_at) as last_shown_at
    from v_shown_lessons
    where session_id is not null and ($since is null or occurred_at >= $since)
    group by lesson_id, session_id
),

refused as (
    select
        verdicts.session_id as session_id,
        verdicts.position as position,
        coalesce(judged.reason_code, verdicts.reason_code) as reason_code,
        coalesce(judged.path, calls.path) as path,
        calls.command as command,
        verdicts.tool_name as tool_name
    from v_verdicts as verdicts
    left join v_judged_paths as judged
        on judged.verdict_id = verdicts.verdict_id and judged.reason_code is not null
    left join v_tool_calls as calls
        on calls.tool_call_id = verdicts.tool_call_id and calls.session_id = verdicts.session_id
    where verdicts.verdict = 'deny'
),

repeated as (
    select shown.lesson_id as lesson_id, shown.session_id as session_id
    from shown
    inner join v_lessons as lessons on lessons.lesson_id = shown.lesson_id
    inner join refused
        on refused.session_id = shown.session_id
        and refused.position > shown.position
        and refused.reason_code = lessons.reason_code
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
    group by shown.lesson_id, shown.session_id
),

counted as (
    select
        shown.lesson_id as lesson_id,
        count(*) as shown,
        count(repeated.session_id) as not_followed,
        max(shown.last_shown_at) as last_shown_at
    from shown
    left join repeated on repeated.lesson_id = shown.lesson_id and repeated.session_id = shown.session_id
    group by shown.lesson_id
)

select
    counted.lesson_id,
    counted.shown,
    case when lessons.source = 'denial' then counted.shown - counted.not_followed end as followed,
    case when lessons.source = 'denial' then round(1e0 * (counted.shown - counted.not_followed) / counted.shown, 3) end
        as followed_rate,
    case when lessons.source = 'denial' then counted.not_followed end as not_followed,
    lessons.source,
    lessons.reason_code,
    lessons.path,
    lessons.title,
    counted.last_shown_at
from counted
left join v_lessons as lessons on lessons.lesson_id = counted.lesson_id
order by counted.shown desc, counted.lesson_id;
