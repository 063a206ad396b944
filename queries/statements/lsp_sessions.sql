-- Each session with the first file that it changed; only one where a session is asked for
select
    sessions.session_id,
    sessions.agent_name,
    min_by(changes.intent_id, changes.position) as intent_id,
    min_by(changes.path, changes.position) as path
from v_sessions as sessions
inner join v_mutations as changes
    on changes.session_id = sessions.session_id
where $session_id is null or sessions.session_id = $session_id
group by sessions.session_id, sessions.agent_name
order by min(changes.position) desc
