-- One session
select
    session_id, agent_name, agent_version, model_id, human_id, branch, source, transcript, conversation_url, started_at
from v_sessions
where session_id = $session_id
