-- Which changes claim to be a refactor and are not proved to be one?
-- control: PW.7
-- asked as: claim refactor change behaviour|behavior, commit claim refactor change behaviour|behavior, refactor change behaviour|behavior
-- asked as: claim refactor, refactor not proved, refactor without proof|evidence, calls refactor not, not real refactor, refactor violation, pretended refactor
-- asked as: refactor real|really, refactor fake, refactor honest, refactor changed behaviour|behavior
-- how many: change
-- topic: changes
-- param since?: only changes from this moment on
-- columns: intent_id, mutation_id, evidence, about, vcs_revision, occurred_at, agent_name, declared_by, words, change_kind, paths
-- about mutation: by what the call said; commit: by its subject, then there is a vcs_revision and no mutation_id.
-- Not proved is not wrong: what no grammar could read, or no rule covers, is an evolution
select
    intent_id,
    case about when 'mutation' then subject_id end as mutation_id,
    evidence,
    about,
    case about when 'commit' then subject_id end as vcs_revision,
    occurred_at,
    agent_name,
    declared_by,
    words,
    change_kind,
    paths
from v_class_contradictions
where reason_code = 'REFACTOR_NOT_PROVED' and ($since is null or occurred_at >= $since)
order by position, subject_id;
