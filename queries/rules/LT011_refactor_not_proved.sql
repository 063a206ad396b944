-- A change claims to be a refactor, and its syntax trees do not show one
-- id: LT011
-- level: medium
-- control: SSDF PW.7
-- message: {what} was changed as a refactor ({words}), and behaves otherwise as far as can be proved
-- remedy: linetrail classify --explain {subject}; review the change as one of behaviour
-- why: A refactor is read with half an eye. What changes behaviour under that name is read by nobody.
-- example: "refactor: tidy totals" also changes `>=` to `>`.
-- silent: where a run of changes, or the commit as a whole, is proved to be one
-- rows of: v_classifications, v_corrections
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at, words, subject, what
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
    coalesce(claims.words, claims.declared_class) as words,
    claims.subject_id as subject,
    coalesce(changed.path, claims.about || ' ' || substr(claims.subject_id, 1, 12)) as what
from v_class_contradictions as claims
left join v_mutations as changed
    on claims.about = 'mutation'
    and changed.mutation_id = claims.subject_id
    and coalesce(changed.part, 1) = 1
where
    claims.reason_code = 'REFACTOR_NOT_PROVED'
    and ($since is null or claims.occurred_at >= $since)
order by claims.position, claims.subject_id, changed.path;
