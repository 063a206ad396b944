-- Sessions, or one of them, in the order in which they began
select
    session_id, agent_name, agent_version, model_id, parent_session_id, branch,
    epoch_us(coalesce(started_at, first_event_at)), epoch_us(ended_at), epoch_us(last_event_at), end_reason
from sessions
where $session is null or session_id = $session
order by first_position
