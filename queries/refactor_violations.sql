-- Which changes claim to be a refactor and are not proved to be one?
-- param since?: only changes from this moment on
-- columns: about, subject_id, occurred_at, agent_name, intent_id, declared_by, words, change_kind, paths, evidence
select
    about,
    subject_id,
    occurred_at,
    agent_name,
    intent_id,
    declared_by,
    words,
    change_kind,
    paths,
    evidence
from v_class_contradictions
where
    reason_code = 'REFACTOR_NOT_PROVED'
    and ($since is null or occurred_at >= cast($since as timestamp))
order by position, subject_id;
