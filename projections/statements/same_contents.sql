-- Files that were made to have one of these contents, of so many lines at least
select distinct path
from mutation_files
where after_hash in (select unnest($digests)) and not snapshot and after_lines >= $least
order by path
limit $limit
