-- one row is one answer that a person gave to what the gate had asked
-- needs: ledger
-- types: approval.decided
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "approval_id": "VARCHAR", "approved": "BOOLEAN", "tool_name": "VARCHAR", "code": "VARCHAR",
                "action": "VARCHAR", "reason": "VARCHAR", "person": "VARCHAR"
            }'
        ) as data
    from ledger
    where event_type = 'approval.decided'
)

select
    position,
    event_id,
    occurred_at,
    session_id,
    intent_id,
    data.approval_id as approval_id,
    data.approved as approved,
    data.tool_name as tool_name,
    data.code as reason_code,
    data.action as action,
    data.reason as reason,
    data.person as human_id
from typed;
