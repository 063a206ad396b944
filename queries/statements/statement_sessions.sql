-- What is known of these sessions
select
    session_id, agent_name, agent_version, model_id, human_id, parent_session_id, first_event_at, last_event_at, prompts
from v_sessions
where session_id in (select unnest($names))
order by session_id
