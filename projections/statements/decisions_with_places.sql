-- Every decision as it was recorded last, the oldest first, with its lists as text
select
    decision_id, position, event_id, occurred_at, session_id, intent_id, contributor_type, title, rationale, status,
    recorded_status, supersedes_id, superseded_by_id, cast(lines as varchar) as lines,
    cast(places as varchar) as places, cast(alternatives as varchar) as alternatives
from decisions
order by position
