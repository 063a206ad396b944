-- one row is one part of a recovery point as it was recorded
-- needs: ledger
-- types: recovery_point.marked
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "name": "VARCHAR", "point_id": "VARCHAR", "revision": "VARCHAR", "part": "BIGINT", "parts": "BIGINT",
                "reason": "VARCHAR", "paths": "JSON", "files": "JSON",
                "entries": [{"path": "VARCHAR", "hash": "VARCHAR", "executable": "BOOLEAN", "omitted": "VARCHAR"}]
            }'
        ) as data
    from ledger
    where event_type = 'recovery_point.marked'
)

select
    position,
    event_id,
    occurred_at,
    session_id,
    intent_id,
    agent.name as agent_name,
    contributor_type,
    coalesce(data.point_id, event_id) as point_id,
    data.name as point_name,
    data.revision as vcs_revision,
    data.reason as reason,
    data.part as part,
    data.parts as parts,
    data.paths as paths,
    data.files as files,
    data.entries as entries
from typed;
