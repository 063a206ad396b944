-- files whose hunks add another number of lines than there are line hashes
-- needs: mutation_files, line_hashes
with
hashed as (
    select position, file_index, count(*) as lines
    from line_hashes
    where not snapshot
    group by position, file_index
)

select
    coalesce(files.position, hashed.position) as position,
    coalesce(files.file_index, hashed.file_index) as file_index,
    files.lines_added as lines_added,
    hashed.lines as line_hashes
from (select * from mutation_files where lines_added is not null) as files
full join hashed on hashed.position = files.position and hashed.file_index = files.file_index
where coalesce(files.lines_added, -1) <> coalesce(hashed.lines, 0)
order by 1, 2;
