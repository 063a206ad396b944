-- The lives of lines that such pairs concern
select file_row_number, path, born, born_path, killed, lost, hashes, numbers, last_numbers
from read_parquet($file, file_row_number = true)
where
    (path, killed) in (select unnest($gone_paths), unnest($gone))
    or (path, born) in (select unnest($came_paths), unnest($came))
order by all
