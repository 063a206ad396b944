-- lines said to be made out of a line that the file did not have
-- needs: line_hashes, mutation_files
select
    line_hashes.position,
    line_hashes.path,
    line_no,
    old_line_no,
    before_lines
from line_hashes
inner join mutation_files
    on mutation_files.position = line_hashes.position
    and mutation_files.file_index = line_hashes.file_index
where old_line_no < 1 or old_line_no > before_lines
order by line_hashes.position, line_no;
