-- One session.
select *
from v_sessions
where session_id = $id;
