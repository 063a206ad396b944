-- Each rename and copy, in the order of the ledger
select position, path, from_path
from mutation_files
where op in ('rename', 'copy')
order by position, file_index
