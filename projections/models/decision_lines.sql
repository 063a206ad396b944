-- one row is one place that a decision is about
-- needs: decisions
with
listed as (
    select
        decision_id,
        unnest(json_transform(lines, '["VARCHAR"]')) as line_range,
        generate_subscripts(json_transform(lines, '["VARCHAR"]'), 1) as place
    from decisions
)

select
    decision_id,
    place,
    rtrim(regexp_replace(line_range, ':\d+(-\d+)?$', ''), '/') as path,
    try_cast(regexp_extract(line_range, ':(\d+)(-\d+)?$', 1) as bigint) as start_line,
    try_cast(
        coalesce(
            nullif(regexp_extract(line_range, ':\d+-(\d+)$', 1), ''), regexp_extract(line_range, ':(\d+)$', 1)
        ) as bigint
    ) as end_line
from listed
where line_range is not null;
