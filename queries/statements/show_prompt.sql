-- One prompt, as it was recorded last.
select *
from v_prompts
where prompt_id = $id
order by position desc
limit 1;
