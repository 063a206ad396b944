-- The last sessions with more than one change
select sessions.session_id, ended_at is not null as ended, max(prompts.position) as asked_at
from sessions
left join prompts on prompts.session_id = sessions.session_id
where mutations > 1
group by sessions.session_id, ended_at, last_position
order by last_position desc
limit $limit
