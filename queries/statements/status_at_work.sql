-- The sessions that a hook heard of since a moment
select distinct session_id
from events
where
    occurred_at >= cast($since as timestamp)
    and (vcs_revision is not null or contains(cast(payload as varchar), '"hook_us":'))
