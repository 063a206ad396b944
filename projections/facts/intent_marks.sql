-- one row is one event about an intent, with the state it tells
-- needs: ledger
with
marks as (
    select
        *,
        case event_type
            when 'intent.selected' then {'name': data.name, 'status': data.status, 'scope': data.scope}
            else json_transform(coalesce(data.after, data.before), '{"name": "VARCHAR", "status": "VARCHAR", "scope": "JSON"}')
        end as state
    from ledger
    where event_type in ('intent.created', 'intent.changed', 'intent.completed', 'intent.selected', 'intent.cleared')
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
from marks
order by position;
