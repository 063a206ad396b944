-- Which changes wrote a line, told by its hash
select
    lines.position as seq,
    lines.path,
    lines.line_no,
    lines.snapshot,
    files.occurred_at,
    files.contributor_type,
    files.agent_name,
    files.session_id,
    files.intent_id,
    lines.event_id
from line_hashes as lines
inner join mutation_files as files
    on files.position = lines.position and files.file_index = lines.file_index
where lines.line_hash = $id
order by lines.position, lines.path, lines.line_no;
