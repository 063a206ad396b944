-- one row is one record of a decision
-- needs: ledger
-- types: decision.recorded
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "decision_id": "VARCHAR", "title": "VARCHAR", "rationale": "VARCHAR", "status": "VARCHAR",
                "supersedes": "VARCHAR", "alternatives": "JSON", "lines": "JSON",
                "places": "JSON"
            }'
        ) as data
    from ledger
    where event_type = 'decision.recorded'
)

select
    position,
    event_id,
    occurred_at,
    session_id,
    intent_id,
    contributor_type,
    data.decision_id as decision_id,
    data.title as title,
    data.rationale as rationale,
    data.status as status,
    data.supersedes as supersedes_id,
    data.alternatives as alternatives,
    data.lines as lines,
    data.places as places
from typed;
