-- one row is one end of a tool call
-- needs: ledger
-- types: tool.completed, tool.failed
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "tool_call_id": "VARCHAR", "tool_name": "VARCHAR", "operation": "VARCHAR", "agent_id": "VARCHAR",
                "agent_type": "VARCHAR", "duration_ms": "BIGINT", "exit_code": "BIGINT",
                "output_sha256": "VARCHAR", "interrupted": "BOOLEAN", "error": "VARCHAR", "is_interrupt": "BOOLEAN"
            }'
        ) as data
    from ledger
    where event_type in ('tool.completed', 'tool.failed')
)

select
    position,
    event_id,
    occurred_at,
    session_id,
    intent_id,
    agent.name as agent_name,
    agent.model_id as model_id,
    vcs.revision as vcs_revision,
    data.tool_call_id as tool_call_id,
    data.tool_name as tool_name,
    data.operation as operation_name,
    case event_type when 'tool.completed' then 'completed' else 'failed' end as status,
    data.duration_ms as duration_ms,
    data.exit_code as exit_code,
    data.output_sha256 as output_hash,
    coalesce(data.is_interrupt, data.interrupted) as interrupted,
    data.error as error_message,
    data.agent_id as agent_id,
    data.agent_type as agent_type
from typed;
