-- one row is one file that a judgement was about
-- needs: ledger
-- types: gate.decided
with
judged as (
    select
        *,
        json_transform(
            payload,
            '{
                "paths": [{
                    "path": "VARCHAR", "code": "VARCHAR", "expected_hash": "VARCHAR", "found_hash": "VARCHAR"
                }]
            }'
        ) as data
    from ledger
    where event_type = 'gate.decided'
),

entries as (
    select *, generate_subscripts(data.paths, 1) as path_index, unnest(data.paths) as entry
    from judged
)

select
    position,
    event_id as verdict_id,
    path_index,
    entry.path as path,
    entry.code as reason_code,
    entry.expected_hash as expected_hash,
    entry.found_hash as found_hash
from entries;
