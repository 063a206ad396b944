-- Where a content was seen: the file before or after a change, a block of new lines in it, a file in a recovery point
with
blocks as (
    select position, file_index, unnest(from_json(hunks, '[{"content_hash": "VARCHAR", "new_start": "BIGINT", "new_lines": "BIGINT"}]')) as hunk
    from mutation_files
    where contains(cast(hunks as varchar), $id)
),

places as (
    select position, file_index, 'after' as part, null::bigint as start_line, null::bigint as end_line
    from mutation_files
    where after_hash = $id
    union all
    select position, file_index, 'before', null, null
    from mutation_files
    where before_hash = $id
    union all
    select position, file_index, 'block', hunk.new_start, hunk.new_start + hunk.new_lines - 1
    from blocks
    where hunk.content_hash = $id
),

seen as (
    select
        places.position as seq,
        places.part,
        files.path,
        places.start_line,
        places.end_line,
        files.occurred_at,
        files.contributor_type,
        files.agent_name,
        files.session_id,
        files.intent_id,
        files.event_id
    from places
    inner join mutation_files as files
        on files.position = places.position and files.file_index = places.file_index
    union all
    select points.position, 'recovery point', files.path, null, null, points.occurred_at, null, null, points.session_id, null, files.point_id
    from v_recovery_point_files as files
    inner join v_recovery_points as points on points.point_id = files.point_id
    where files.content_hash = $id
)

select *
from seen
order by seq, path, part, start_line;
