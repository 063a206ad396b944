-- What a person said in place of an answer about a line, or about the change that wrote it
select correction_id, occurred_at, human_id, field, answer_before, answer_after, agent_name, reason, event_id
from v_corrections
where correction_id = $correction_id or (field = 'class' and event_id = $event_id)
order by position
