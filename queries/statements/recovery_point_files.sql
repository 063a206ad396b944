-- The files of a recovery point
select path, content_hash, executable, omitted
from v_recovery_point_files
where point_id = $point_id
order by path
