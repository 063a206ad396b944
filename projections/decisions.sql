-- one row is one decision as it was recorded last
-- needs: decision_records
with
ranked as (
    select *, row_number() over (partition by coalesce(decision_id, event_id) order by position desc) as nth
    from decision_records
)

select
    coalesce(decision_id, event_id) as decision_id,
    position,
    event_id,
    occurred_at,
    session_id,
    intent_id,
    contributor_type,
    title,
    rationale,
    status,
    supersedes_id,
    lines,
    alternatives
from ranked
where nth = 1;
