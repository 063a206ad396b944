-- one row is one decision as it was recorded last
-- needs: decision_records
with
ranked as (
    select *, row_number() over (partition by coalesce(decision_id, event_id) order by position desc) as nth
    from decision_records
),

latest as (
    select * replace (coalesce(decision_id, event_id) as decision_id)
    from ranked
    where nth = 1
),

-- what is only proposed, or was refused, replaces nothing
replacements as (
    select supersedes_id as decision_id, decision_id as superseded_by_id
    from latest
    where supersedes_id is not null and supersedes_id <> decision_id and status not in ('proposed', 'rejected')
    qualify row_number() over (partition by supersedes_id order by position desc) = 1
)

select
    latest.decision_id,
    position,
    event_id,
    occurred_at,
    session_id,
    intent_id,
    contributor_type,
    title,
    rationale,
    case when superseded_by_id is null then status else 'superseded' end as status,
    status as recorded_status,
    supersedes_id,
    superseded_by_id,
    lines,
    places,
    alternatives
from latest
left join replacements on replacements.decision_id = latest.decision_id;
