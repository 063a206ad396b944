-- one row is one start or end of a session
-- needs: ledger
-- types: session.ended, session.started
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "source": "VARCHAR", "transcript": "VARCHAR", "cwd": "VARCHAR", "permission_mode": "VARCHAR",
                "parent_session_id": "VARCHAR", "reason": "VARCHAR"
            }'
        ) as data
    from ledger
    where event_type in ('session.started', 'session.ended')
)

select
    position,
    event_id,
    occurred_at,
    event_type,
    session_id,
    data.parent_session_id as parent_session_id,
    data.source as source,
    data.transcript as transcript,
    data.cwd as cwd,
    data.permission_mode as permission_mode,
    data.reason as end_reason
from typed;
