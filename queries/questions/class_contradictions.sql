-- Which changes are not what somebody said that they are?
-- asked as: declared class|refactor, contradict class, claim not what, say not what they are, contradictions
-- how many: contradiction
-- topic: changes
-- param since?: only changes from this moment on
-- columns: about, subject_id, occurred_at, agent_name, reason_code, declared_class, declared_by, computed_class, change_kind, paths
select
    about,
    subject_id,
    occurred_at,
    agent_name,
    reason_code,
    declared_class,
    declared_by,
    computed_class,
    change_kind,
    paths
from v_class_contradictions
where $since is null or occurred_at >= cast($since as timestamp)
order by position, subject_id;
