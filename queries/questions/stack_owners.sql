-- Which code of agents sits in this stack trace?
-- control: CC7.3
-- asked as: stack trace
-- topic: lines
-- lines of: frames
-- param frames: a stack trace, as Python, Node, Java, Go, Rust and others print it
-- param until?: count the age until this moment, and leave out what was written later
-- columns: frame, intent_id, agent_name, age_days, frame_no, found, path, line_no, contributor_type, session_id, model_id, confidence, match_method, author, written_at, vcs_revision, event_id
-- by the lines of HEAD, which the program may be older than; found: line, ambiguous (several files end as the frame's
-- does), no such line, no such file (in this repository); age_days: whole days since the line was written
with
digits as (
    select '0' as digit
    union all
    select '1'
    union all
    select '2'
    union all
    select '3'
    union all
    select '4'
    union all
    select '5'
    union all
    select '6'
    union all
    select '7'
    union all
    select '8'
    union all
    select '9'
),

marks as (
    select '
#' || a.digit || b.digit || c.digit || ' ' as mark
    from digits as a
    cross join digits as b
    cross join digits as c
),

begun as (
    select substr($frames, instr($frames, mark) + 6) as record
    from marks
    where instr($frames, mark) > 0
),

-- each field has its width: number of the frame, line, now, files that may be meant, length of the path, path, text
records as (
    select substr(record, 1, instr(record, '
') - 1) as record, cast(substr(record, 33, 5) as bigint) as path_length
    from begun
),

frames as (
    select
        cast(substr(record, 1, 4) as bigint) as frame_no,
        cast(substr(record, 6, 10) as bigint) as line_no,
        cast(substr(record, 17, 12) as bigint) as now_epoch,
        cast(substr(record, 30, 2) as bigint) as files,
        case when path_length > 0 then substr(record, 39, path_length) end as path,
        substr(record, 39 + path_length) as frame
    from records
),

owners as (
    select
        frames.frame_no as frame_no,
        frames.now_epoch - lines.written_epoch as age_seconds,
        lines.*
    from frames
    inner join v_blame_lines as lines on lines.path = frames.path and lines.line_no = frames.line_no
    where $until is null or lines.written_at is null or lines.written_at <= $until
)

select
    frames.frame,
    owners.intent_id,
    owners.agent_name,
    cast((owners.age_seconds - owners.age_seconds % 86400) / 86400 as bigint) as age_days,
    frames.frame_no,
    case
        when frames.path is null then 'no such file'
        when frames.files > 1 then 'ambiguous'
        when owners.path is null then 'no such line'
        else 'line'
    end as found,
    frames.path,
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
left join owners on owners.frame_no = frames.frame_no and owners.path = frames.path
order by frames.frame_no, frames.path;
