-- The files of mutations
select position, path, op, from_path, snapshot, before_hash, after_hash, before_blob, vcs_revision
from mutation_files
where event_id in (select unnest($ids)) and coalesce(part, 1) = 1
order by position, file_index
