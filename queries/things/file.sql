-- One row is one file at HEAD.
-- words: file
-- also: line, code
-- figures: lines, bytes
select
    files.path as id,
    max(lines.written_at) as happened_at,
    files.path as file,
    files.path as what,
    files.role,
    files.language,
    count(lines.line_no) as lines,
    max(files.bytes) as bytes
from v_files as files
left join v_blame_lines as lines on lines.path = files.path
where files.tracked
group by files.path, files.role, files.language
