-- Every session, the latest first.
select *
from v_sessions
order by started_at desc nulls last, session_id;
