-- Prompts of one session.
select turn, occurred_at, prompt_excerpt from v_prompts where session_id = $id order by position;
