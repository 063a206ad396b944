-- The last answer to a request, whether or not it was taken back since
-- param id: the request
select payload, session_id, intent_id
from v_events
where event_type in ('approval.decided', 'approval.revoked') and payload ->> 'approval_id' = $id
order by position desc
limit 1
