-- The contents that files were recorded with, before changes and after them
select distinct path, content
from (
    select path, coalesce(after_hash, said_after_hash) as content from mutation_files
    union all
    select coalesce(from_path, path), coalesce(before_hash, said_before_hash) from mutation_files
) as seen
where content is not null
