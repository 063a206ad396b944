-- A change is not what somebody said that it is
-- id: LT012
-- level: low
-- control: CC8.1, SSDF PW.7
-- message: {what} was declared {declared_class} by its {declared_by}, and is {computed_class} ({change_kind})
-- remedy: linetrail classify --explain {subject}
-- why: What a change is called decides who reads it and how it is released.
-- example: "fix: rounding" changes comments alone.
-- silent: for refactors that are not proved, which LT011 looks at
-- rows of: v_classifications, v_corrections
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at
-- columns: subject, what, declared_class, declared_by, computed_class, change_kind
select
    claims.position,
    changed.path,
    changed.start_line as line,
    changed.end_line,
    coalesce(changed.content_hash, changed.after_hash, changed.before_hash, claims.subject_id) as anchor,
    claims.session_id,
    claims.intent_id,
    claims.agent_name,
    coalesce(changed.mutation_id, claims.classification_id) as event_id,
    claims.occurred_at,
    claims.subject_id as subject,
    coalesce(changed.path, claims.about || ' ' || substr(claims.subject_id, 1, 12)) as what,
    claims.declared_class,
    claims.declared_by,
    claims.computed_class,
    claims.change_kind
from v_class_contradictions as claims
left join v_mutations as changed
    on claims.about = 'mutation'
    and changed.mutation_id = claims.subject_id
    and coalesce(changed.part, 1) = 1
where
    claims.reason_code <> 'REFACTOR_NOT_PROVED'
    and ($since is null or claims.occurred_at >= $since)
order by claims.position, claims.subject_id, changed.path;
