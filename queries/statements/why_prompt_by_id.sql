-- The prompt that a tool call belongs to
select p.event_id, p.prompt_id, p.turn, p.prompt_excerpt, p.occurred_at
from tool_calls c join prompts p on p.prompt_id = c.prompt_id and p.session_id = c.session_id
where c.tool_call_id = $tool_call_id and c.session_id = $session_id
order by p.position desc
limit 1
