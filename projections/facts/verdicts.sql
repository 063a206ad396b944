-- one row is one judgement of a tool call before it ran
-- needs: ledger
-- types: gate.decided
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "source": "VARCHAR", "reason": "VARCHAR", "tool_call_id": "VARCHAR", "tool_name": "VARCHAR",
                "verdict": "VARCHAR", "code": "VARCHAR", "rule": "VARCHAR", "mode": "VARCHAR", "enforced": "BOOLEAN",
                "kind": "VARCHAR", "act": "VARCHAR", "command_class": "VARCHAR", "approval_id": "VARCHAR"
            }'
        ) as data
    from ledger
    where event_type = 'gate.decided'
)

select
    position,
    event_id as verdict_id,
    occurred_at,
    session_id,
    intent_id,
    agent.name as agent_name,
    data.tool_call_id as tool_call_id,
    data.tool_name as tool_name,
    data.verdict as verdict,
    data.source as source,
    data.rule as rule_id,
    data.code as reason_code,
    data.reason as reason,
    data.mode as mode,
    data.enforced as enforced,
    data.kind as kind,
    coalesce(
        data.act,
        -- of an event from before acts were told
        case
            when data.kind = 'reading' or data.command_class = 'safe' then 'safe'
            when data.kind = 'generative' then 'mutating'
            when data.kind = 'operational' then 'destructive'
            else data.kind
        end
    ) as act,
    data.command_class as command_class,
    data.approval_id as approval_id
from typed;
