-- Files of one recovery point.
select path, content_hash, omitted from v_recovery_point_files where point_id = $id order by path;
