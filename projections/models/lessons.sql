-- one row is one lesson, however often it was learned
-- needs: lesson_records
with
ranked as (
    select
        *,
        row_number() over (partition by lesson_id order by forgotten, position desc) as nth
    from lesson_records
),

counted as (
    select
        lesson_id,
        count(*) filter (where not forgotten) as times,
        count(distinct session_id) filter (where not forgotten) as sessions,
        string_agg(distinct intent_id, ', ' order by intent_id) filter (where not forgotten) as intent_ids,
        min(occurred_at) filter (where not forgotten) as first_at,
        min(position) filter (where not forgotten) as first_position,
        max(position) filter (where forgotten) as forgotten_position,
        max(position) filter (where not forgotten and source = 'demand') as demanded_position,
        arg_max(resolution, position) filter (where resolution is not null) as resolution,
        arg_max(pattern, position) filter (where pattern is not null) as pattern
    from lesson_records
    group by lesson_id
)

select
    ranked.lesson_id,
    ranked.position,
    ranked.event_id,
    ranked.intent_id,
    counted.first_at,
    counted.first_position,
    ranked.occurred_at as last_at,
    counted.times,
    counted.sessions,
    ranked.title,
    ranked.body,
    counted.resolution,
    counted.pattern,
    ranked.source,
    ranked.reason_code,
    ranked.path,
    counted.intent_ids,
    coalesce(counted.forgotten_position > coalesce(counted.demanded_position, 0), false) as forgotten
from ranked
join counted on counted.lesson_id = ranked.lesson_id
where ranked.nth = 1;
