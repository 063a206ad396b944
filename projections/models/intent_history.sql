-- one row is one state of an intent, from the event that told it until the next
-- needs: intent_marks
-- what an event does not tell about stays as it was told before; a change of the registry tells about everything
with
told as (
    select
        *,
        last_value(title ignore nulls) over earlier as known_title,
        last_value(status ignore nulls) over earlier as known_status,
        last_value(scope ignore nulls) over earlier as known_scope,
        last_value(
            case
                when detailed
                    then
                        {
                            'description': description,
                            'owner': owner,
                            'priority': priority,
                            'constraints': constraints,
                            'acceptance_criteria': acceptance_criteria,
                            'dependencies': dependencies,
                            'parent_intent': parent_intent,
                            'reference_list': reference_list,
                            'blocked_reason': blocked_reason,
                            'forked_from': forked_from,
                            'merged_into': merged_into,
                            'approval': approval,
                            'checks': checks
                        }
            end ignore nulls
        ) over earlier as details
    from intent_marks
    where event_type <> 'intent.cleared' and intent_id is not null
    window earlier as (partition by intent_id order by position rows between unbounded preceding and current row)
),

compared as (
    select
        *,
        lag(position) over following as before,
        lag(known_title) over following as title_before,
        lag(known_status) over following as status_before,
        lag(known_scope) over following as scope_before,
        lag(details) over following as details_before,
        lag(removed) over following as removed_before
    from told
    window following as (partition by intent_id order by position)
),

changed as (
    select *
    from compared
    where
        before is null
        or event_type = 'intent.completed'
        or known_title is distinct from title_before
        or known_status is distinct from status_before
        or known_scope is distinct from scope_before
        or details is distinct from details_before
        or removed is distinct from removed_before
)

select
    intent_id,
    position,
    event_id,
    event_type,
    session_id,
    agent_name,
    contributor_type,
    told_by,
    known_title as title,
    known_status as status,
    known_scope as scope,
    details.description as description,
    details.owner as owner,
    details.priority as priority,
    details.constraints as constraints,
    details.acceptance_criteria as acceptance_criteria,
    details.dependencies as dependencies,
    details.parent_intent as parent_intent,
    details.reference_list as reference_list,
    details.blocked_reason as blocked_reason,
    details.forked_from as forked_from,
    details.merged_into as merged_into,
    details.approval as approval,
    details.checks as checks,
    removed,
    verification_notes,
    reason,
    registry_hash,
    occurred_at as valid_from,
    lead(occurred_at) over (partition by intent_id order by position) as valid_to
from changed;
