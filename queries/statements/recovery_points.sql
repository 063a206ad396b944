-- Every recovery point, oldest first
select * from v_recovery_points order by position
