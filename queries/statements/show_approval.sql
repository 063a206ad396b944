-- One approval, as it was recorded last.
select *
from v_approvals
where approval_id = $id
order by position desc
limit 1;
