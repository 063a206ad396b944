-- one row is one answer that a person gave to what the gate had asked
-- needs: ledger
-- types: approval.decided, approval.deferred, approval.revoked
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "approval_id": "VARCHAR", "approved": "BOOLEAN", "tool_name": "VARCHAR", "code": "VARCHAR",
                "action": "VARCHAR", "reason": "VARCHAR", "person": "VARCHAR", "extent": "VARCHAR"
            }'
        ) as data
    from ledger
    where event_type in ('approval.decided', 'approval.deferred', 'approval.revoked')
)

select
    position,
    event_id,
    occurred_at,
    session_id,
    intent_id,
    data.approval_id as approval_id,
    data.approved as approved,
    case
        when event_type = 'approval.deferred' then 'deferred'
        when event_type = 'approval.revoked' then 'revoked'
        when data.approved then 'approved'
        else 'rejected'
    end as answer,
    case when data.approved or event_type = 'approval.revoked' then coalesce(data.extent, 'once') end as extent,
    data.tool_name as tool_name,
    data.code as reason_code,
    data.action as action,
    data.reason as reason,
    data.person as human_id
from typed;
