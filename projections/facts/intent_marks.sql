-- one row is one event about an intent, with the state it tells
-- needs: ledger
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "intent_id": "VARCHAR", "name": "VARCHAR", "status": "VARCHAR", "scope": "JSON",
                "before": {"name": "VARCHAR", "status": "VARCHAR", "scope": "JSON"},
                "after": {"name": "VARCHAR", "status": "VARCHAR", "scope": "JSON"},
                "registry_digest": "VARCHAR", "verification_notes": "VARCHAR", "by": "VARCHAR", "for_session": "VARCHAR"
            }'
        ) as data
    from ledger
    where event_type in ('intent.created', 'intent.changed', 'intent.completed', 'intent.selected', 'intent.cleared')
),

marks as (
    select
        *,
        case event_type
            when 'intent.selected' then {'name': data.name, 'status': data.status, 'scope': data.scope}
            else coalesce(data.after, data.before)
        end as state
    from typed
)

select
    position,
    event_id,
    occurred_at,
    session_id,
    event_type,
    data.intent_id as intent_id,
    state.name as title,
    state.status as status,
    state.scope as scope,
    data.after is null and data.before is not null as removed,
    data.registry_digest as registry_hash,
    data.verification_notes as verification_notes,
    data.by as selected_by,
    data.for_session as for_session
from marks;
