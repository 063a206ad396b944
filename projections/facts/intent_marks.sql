-- one row is one event about an intent, with the state it tells
-- needs: ledger
-- types: intent.changed, intent.cleared, intent.completed, intent.created, intent.selected
-- a choice of an intent tells three fields of it, a change of the registry tells all (`detailed`)
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "intent_id": "VARCHAR", "name": "VARCHAR", "status": "VARCHAR", "scope": "JSON",
                "before": {
                    "name": "VARCHAR", "status": "VARCHAR", "scope": "JSON", "description": "VARCHAR",
                    "owner": "VARCHAR", "priority": "VARCHAR", "constraints": "JSON", "acceptance_criteria": "JSON",
                    "dependencies": "JSON", "parent_intent": "VARCHAR", "references": "JSON",
                    "blocked_reason": "VARCHAR", "forked_from": "VARCHAR", "merged_into": "VARCHAR",
                    "approval": "VARCHAR", "checks": "JSON"
                },
                "after": {
                    "name": "VARCHAR", "status": "VARCHAR", "scope": "JSON", "description": "VARCHAR",
                    "owner": "VARCHAR", "priority": "VARCHAR", "constraints": "JSON", "acceptance_criteria": "JSON",
                    "dependencies": "JSON", "parent_intent": "VARCHAR", "references": "JSON",
                    "blocked_reason": "VARCHAR", "forked_from": "VARCHAR", "merged_into": "VARCHAR",
                    "approval": "VARCHAR", "checks": "JSON"
                },
                "registry_digest": "VARCHAR", "verification_notes": "VARCHAR",
                "reason": "VARCHAR", "by": "VARCHAR", "for_session": "VARCHAR"
            }'
        ) as data
    from ledger
    where event_type in ('intent.created', 'intent.changed', 'intent.completed', 'intent.selected', 'intent.cleared')
),

marks as (
    select
        *,
        case when event_type not in ('intent.selected', 'intent.cleared') then coalesce(data.after, data.before) end
            as state
    from typed
)

select
    position,
    event_id,
    occurred_at,
    session_id,
    agent.name as agent_name,
    contributor_type,
    event_type,
    data.intent_id as intent_id,
    case event_type when 'intent.selected' then data.name else state.name end as title,
    case event_type when 'intent.selected' then data.status else state.status end as status,
    case event_type when 'intent.selected' then data.scope else state.scope end as scope,
    state is not null as detailed,
    state.description as description,
    state.owner as owner,
    state.priority as priority,
    state.constraints as constraints,
    state.acceptance_criteria as acceptance_criteria,
    state.dependencies as dependencies,
    state.parent_intent as parent_intent,
    state.references as reference_list,
    state.blocked_reason as blocked_reason,
    state.forked_from as forked_from,
    state.merged_into as merged_into,
    state.approval as approval,
    state.checks as checks,
    data.after is null and data.before is not null as removed,
    data.registry_digest as registry_hash,
    data.verification_notes as verification_notes,
    data.reason as reason,
    data.by as told_by,
    data.for_session as for_session
from marks;
