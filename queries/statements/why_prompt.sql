-- The last prompt of a session before a place in the ledger
select event_id, prompt_id, turn, prompt_excerpt, occurred_at
from prompts
where session_id = $session_id and position < $position
order by position desc
limit 1
