-- one row is one record of a lesson, or of a lesson that is to be forgotten
-- needs: ledger
-- types: lesson.recorded
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "lesson_id": "VARCHAR", "title": "VARCHAR", "body": "VARCHAR", "source": "VARCHAR", "code": "VARCHAR",
                "path": "VARCHAR", "resolution": "VARCHAR", "pattern": "VARCHAR", "forgotten": "BOOLEAN"
            }'
        ) as data
    from ledger
    where event_type = 'lesson.recorded'
)

select
    position,
    event_id,
    occurred_at,
    session_id,
    intent_id,
    agent.name as agent_name,
    contributor_type,
    coalesce(data.lesson_id, event_id) as lesson_id,
    data.title as title,
    data.body as body,
    data.source as source,
    data.code as reason_code,
    data.path as path,
    data.resolution as resolution,
    data.pattern as pattern,
    coalesce(data.forgotten, false) as forgotten
from typed;
