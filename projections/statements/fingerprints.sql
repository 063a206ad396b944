-- What was recorded of files, in the order of the ledger
select
    path,
    case when op in ('rename', 'copy') then from_path end as from_path,
    before_hash,
    after_hash,
    event_id,
    file_index,
    hunks is null as hidden,
    session_id,
    position
from mutation_files
order by position, file_index
