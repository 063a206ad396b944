-- What was recorded of these files, or of all, in the order of the ledger
select
    * replace (strftime(occurred_at, '%Y-%m-%dT%H:%M:%S.%fZ') as occurred_at)
from mutation_files
where $paths is null or path in (select unnest($paths))
order by position, file_index
