-- What was recorded of the files that calls of a session changed, and that changed without a call
select event_id, tool_call_id, vcs_revision, payload
from v_events
where
    event_type = 'mutation.observed'
    and session_id = $session
    and (list_contains($calls, tool_call_id) or list_contains($events, event_id))
order by position
