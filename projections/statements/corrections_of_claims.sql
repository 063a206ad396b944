-- What people said of who wrote lines, the oldest first
select
    correction_id, event_id, answer_after, agent_name, path, cast(line_hashes as varchar) as line_hashes,
    cast(nth as varchar) as nth, vcs_revision, origin_path, origin_line
from correction_records
where field = 'contributor' and line_hashes is not null
order by position
