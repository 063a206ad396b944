-- The files that changed in a stretch of the ledger
select
    position, path, op, from_path, via, lines_added, lines_deleted, before_hash, after_hash, snapshot, part
from mutation_files
where position between $first and $last and ($session is null or session_id = $session)
order by position, file_index
