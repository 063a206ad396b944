-- The agents that were recorded
select distinct agent_name
from v_sessions
where agent_name is not null
order by agent_name
