-- One row is one file at HEAD.
-- words: file
-- also: line, code
-- figures: lines, bytes
-- verbs: exist, have, contain, hold
-- role=test: test
-- role=code: code, source
select
    files.path as id,
    max(lines.written_at) as happened_at,
    files.path as file,
    files.path as what,
    files.role,
    files.language,
    count(lines.line_no) as lines,
    max(files.bytes) as bytes,
    max(changed.times) as changes_ever,
    max(read.times) as reads_ever,
    max(refused.times) as refusals_ever
from v_files as files
left join v_blame_lines as lines on lines.path = files.path
left join (
    select path, count(*) as times
    from v_mutations
    group by path
) as changed on changed.path = files.path
left join (
    select path, count(*) as times
    from v_tool_calls
    where operation_name = 'read'
    group by path
) as read on read.path = files.path
left join (
    select judged.path, count(*) as times
    from v_judged_paths as judged
    inner join v_verdicts as verdicts on verdicts.verdict_id = judged.verdict_id
    where verdicts.verdict = 'deny'
    group by judged.path
) as refused on refused.path = files.path
where files.tracked
group by files.path, files.role, files.language
