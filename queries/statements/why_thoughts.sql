-- What an agent thought between a prompt and a change, the latest first
-- Read from a transcript after the fact, so they stand behind the change: its clock and that of the hooks are one.
select event_id, occurred_at, thought_excerpt, thought_length
from v_thoughts
where
    session_id = $session_id
    and (prompt_id = $prompt_id or occurred_at >= $asked_at)
    and occurred_at <= cast($written_at as timestamp)
order by occurred_at desc, position desc
limit 3
