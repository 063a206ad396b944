-- The sessions of a worktree, the one that was heard of last at the end
select session_id, agent_name, last_event_at
from v_sessions
order by last_position
