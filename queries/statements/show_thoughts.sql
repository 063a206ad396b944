-- Thoughts that one session kept.
select occurred_at, thought_excerpt from v_thoughts where session_id = $id order by position;
