-- one row is one thing that happened against what was decided, or against a rule that only shows afterwards
-- needs: ledger
-- types: gate.violation
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "tool_call_id": "VARCHAR", "tool_name": "VARCHAR", "code": "VARCHAR", "reason": "VARCHAR",
                "path": "VARCHAR", "decided_event_id": "VARCHAR", "expected_hash": "VARCHAR",
                "found_hash": "VARCHAR", "rule": "VARCHAR"
            }'
        ) as data
    from ledger
    where event_type = 'gate.violation'
)

select
    position,
    event_id as violation_id,
    occurred_at,
    session_id,
    intent_id,
    agent.name as agent_name,
    data.tool_call_id as tool_call_id,
    data.tool_name as tool_name,
    data.code as reason_code,
    data.reason as reason,
    data.path as path,
    data.decided_event_id as verdict_id,
    data.rule as rule_id,
    data.expected_hash as expected_hash,
    data.found_hash as found_hash
from typed;
