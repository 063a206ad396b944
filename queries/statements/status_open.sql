-- Those of these sessions that have not ended: as `sessions` has them, of which these few are asked without all others
select
    session_id,
    arg_max(agent_name, position) as agent_name,
    arg_max(model_id, position) as model_id,
    arg_max(branch, position) as branch,
    coalesce(
        arg_min(occurred_at, position) filter (where event_type = 'session.started'),
        arg_min(occurred_at, position)
    ) as started_at,
    arg_max(occurred_at, position) as last_event_at,
    count(*) filter (where event_type = 'prompt.submitted') as prompts
from events
where list_contains($asked, session_id)
group by session_id
having
    coalesce(max(position) filter (where event_type = 'session.ended'), 0)
    <= coalesce(max(position) filter (where event_type = 'session.started'), 0)
order by max(position) desc
