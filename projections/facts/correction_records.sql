-- one row is one answer that a person overruled, or a correction that a person took back
-- needs: ledger
-- types: correction.recorded
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "event_id": "VARCHAR", "field": "VARCHAR", "before": "VARCHAR", "after": "VARCHAR",
                "reason": "VARCHAR", "agent_name": "VARCHAR", "person": "VARCHAR", "path": "VARCHAR",
                "first": "BIGINT", "last": "BIGINT", "line_hashes": "JSON", "nth": "JSON", "revision": "VARCHAR",
                "origin": "VARCHAR", "origin_first": "BIGINT"
            }'
        ) as data
    from ledger
    where event_type = 'correction.recorded'
)

select
    position,
    event_id as correction_id,
    occurred_at,
    data.person as human_id,
    data.field as field,
    data.event_id as event_id,
    data.before as answer_before,
    data.after as answer_after,
    data.agent_name as agent_name,
    data.reason as reason,
    data.path as path,
    data.first as start_line,
    data.last as end_line,
    data.line_hashes as line_hashes,
    data.nth as nth,
    data.revision as vcs_revision,
    data.origin as origin_path,
    data.origin_first as origin_line
from typed;
