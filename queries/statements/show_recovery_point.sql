-- One recovery point.
select *
from v_recovery_points
where point_id = $id;
