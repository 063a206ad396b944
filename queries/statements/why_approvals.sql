-- What people answered to requests
select approval_id, approved, answer, human_id, reason_code, reason, occurred_at
from v_approvals
where approval_id in (select unnest($ids))
order by position
