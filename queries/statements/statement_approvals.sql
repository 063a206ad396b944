-- How often people said yes and no in each of these sessions
select session_id, count(*) filter (where approved) as approved, count(*) filter (where not approved) as rejected
from v_approvals
where session_id in (select unnest($names))
group by session_id
