-- Those of these sessions that have not ended
select
    session_id,
    agent_name,
    model_id,
    branch,
    coalesce(started_at, first_event_at) as started_at,
    last_event_at,
    prompts
from v_sessions
where
    ended_at is null
    and list_contains($sessions, session_id)
order by last_position desc
