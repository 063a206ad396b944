-- one row is one file of a change that was judged
-- needs: ledger
-- types: mutation.classified
with
judged as (
    select
        *,
        json_transform(
            payload,
            '{
                "rule_version": "BIGINT",
                "files": [{
                    "path": "VARCHAR", "from_path": "VARCHAR", "before_hash": "VARCHAR", "after_hash": "VARCHAR",
                    "label": "VARCHAR", "kind": "VARCHAR", "evidence": "JSON", "definitions": "JSON"
                }]
            }'
        ) as data
    from ledger
    where event_type = 'mutation.classified'
),

entries as (
    select *, generate_subscripts(data.files, 1) as file_index, unnest(data.files) as file
    from judged
)

select
    position,
    event_id as classification_id,
    file_index,
    file.path as path,
    file.from_path as from_path,
    file.before_hash as before_hash,
    file.after_hash as after_hash,
    file.label as label,
    file.kind as change_kind,
    file.evidence as evidence,
    file.definitions as definitions,
    data.rule_version as rule_version
from entries;
