-- one row is one judgement about a mutation, a run of mutations or a commit: refactor or evolution
-- needs: ledger
-- types: mutation.classified
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "about": "VARCHAR", "mutation_id": "VARCHAR", "first_mutation_id": "VARCHAR", "revision": "VARCHAR",
                "mutation_ids": "JSON", "rule_version": "BIGINT", "label": "VARCHAR", "kind": "VARCHAR",
                "computed_class": "VARCHAR", "mutation_class": "VARCHAR", "declared_class": "VARCHAR",
                "evidence": "JSON", "basis": "JSON", "files": ["JSON"], "files_left_out": "BIGINT",
                "evolved_files": "BIGINT"
            }'
        ) as data
    from ledger
    where event_type = 'mutation.classified'
)

select
    position,
    event_id as classification_id,
    occurred_at,
    data.about as about,
    data.mutation_id as mutation_id,
    data.first_mutation_id as first_mutation_id,
    data.revision as vcs_revision,
    data.mutation_ids as mutation_ids,
    data.rule_version as rule_version,
    data.label as label,
    data.kind as change_kind,
    data.computed_class as computed_class,
    data.mutation_class as mutation_class,
    data.declared_class as declared_class,
    data.evidence as evidence,
    data.basis as basis,
    len(data.files) + coalesce(data.files_left_out, 0) as files,
    data.evolved_files as evolved_files
from typed;
