-- The last recorded content of each of these files, by its hash
select path, after_hash
from mutation_files
where path in (select unnest($paths)) and after_hash is not null
qualify row_number() over (partition by path order by position desc, file_index desc) = 1
