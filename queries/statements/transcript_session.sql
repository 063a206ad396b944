-- A session, and the name of its transcript
select session_id, agent_name, transcript from v_sessions where session_id = $id
