-- The sessions that a hook heard of since a moment, and when it last did
select session_id, max(occurred_at) as heard_at
from events
where
    occurred_at >= cast($since as timestamp)
    and session_id is not null
    and (vcs_revision is not null or contains(cast(payload as varchar), '"hook_us":'))
group by session_id
order by session_id
