-- Which code of agents sits in this stack trace?
-- control: CC7.3
-- topic: lines
-- lines of: frames
-- param frames: a stack trace, as Python, Node, Java, Go, Rust and others print it
-- param until?: count the age until this moment, and leave out what was written later
-- columns: frame, intent_id, agent_name, age_days, frame_no, found, path, line_no, contributor_type, session_id, model_id, confidence, match_method, author, written_at, vcs_revision, event_id
-- by the lines of HEAD, which the program may be older than; found: line, ambiguous (several files end as the frame's
-- does), no such line, no such file (in this repository); age_days: whole days since the line was written
with
frames as (
    select cast(substr(key, 1, 6) as bigint) as frame_no, substr(key, 8) as frame, cast(value as bigint) as line_no
    from json_each($frames, '$.frames')
),

places as (
    select cast(substr(key, 1, 6) as bigint) as frame_no, substr(key, 8) as path
    from json_each($frames, '$.places')
),

counted as (
    select frame_no, count(*) as files
    from places
    group by frame_no
),

moments as (
    select cast(value as bigint) as now_epoch
    from json_each($frames, '$.now')
),

owners as (
    select lines.*, moments.now_epoch - lines.written_epoch as age_seconds
    from v_blame_lines as lines
    cross join moments
    where $until is null or lines.written_at is null or lines.written_at <= $until
)

select
    frames.frame,
    owners.intent_id,
    owners.agent_name,
    cast((owners.age_seconds - owners.age_seconds % 86400) / 86400 as bigint) as age_days,
    frames.frame_no,
    case
        when places.path is null then 'no such file'
        when counted.files > 1 then 'ambiguous'
        when owners.path is null then 'no such line'
        else 'line'
    end as found,
    places.path,
    frames.line_no,
    owners.contributor_type,
    owners.session_id,
    owners.model_id,
    owners.confidence,
    owners.match_method,
    owners.author,
    owners.written_at,
    owners.vcs_revision,
    owners.event_id
from frames
left join places on places.frame_no = frames.frame_no
left join counted on counted.frame_no = frames.frame_no
left join owners on owners.path = places.path and owners.line_no = frames.line_no
order by frames.frame_no, places.path;
