-- one row is one intent that an event belongs to or tells about, as it was told last
-- needs: events, intent_marks, intent_history
-- by: intent_id
with
told as (
    select
        intent_id,
        arg_max(title, position) as title,
        arg_max(status, position) as status,
        arg_max(scope, position) as scope,
        -- of these nothing is something that is told, which arg_max would pass over
        arg_max_null(description, position) as description,
        arg_max_null(owner, position) as owner,
        arg_max_null(priority, position) as priority,
        arg_max_null(constraints, position) as constraints,
        arg_max_null(acceptance_criteria, position) as acceptance_criteria,
        arg_max_null(dependencies, position) as dependencies,
        arg_max_null(parent_intent, position) as parent_intent,
        arg_max_null(reference_list, position) as reference_list,
        arg_max_null(blocked_reason, position) as blocked_reason,
        arg_max_null(forked_from, position) as forked_from,
        arg_max_null(merged_into, position) as merged_into,
        arg_max(removed, position) as removed
    from intent_history
    group by intent_id
),

marks as (
    select
        intent_id,
        arg_min(occurred_at, position) filter (where event_type = 'intent.created') as created_at,
        arg_max(occurred_at, position) filter (where event_type = 'intent.completed') as completed_at,
        arg_max(occurred_at, position) filter (where event_type = 'intent.selected') as selected_at,
        min(position) as first_position
    from intent_marks
    where intent_id is not null
    group by intent_id
),

work as (
    select
        intent_id,
        min(position) as first_position,
        max(position) as last_position,
        arg_max(occurred_at, position) as last_event_at,
        count(*) as events,
        count(distinct session_id) as sessions,
        count(*) filter (where event_type = 'mutation.observed') as mutations
    from events
    where intent_id is not null
    group by intent_id
),

named as (
    select intent_id from marks
    union
    select intent_id from work
)

select
    named.intent_id as intent_id,
    title,
    status,
    scope,
    description,
    owner,
    priority,
    constraints,
    acceptance_criteria,
    dependencies,
    parent_intent,
    reference_list,
    blocked_reason,
    forked_from,
    merged_into,
    coalesce(removed, false) as removed,
    created_at,
    cast(floor(epoch(created_at)) as bigint) as created_epoch,
    selected_at,
    completed_at,
    cast(floor(epoch(completed_at)) as bigint) as completed_epoch,
    last_event_at,
    least(marks.first_position, work.first_position) as first_position,
    coalesce(events, 0) as events,
    coalesce(sessions, 0) as sessions,
    coalesce(mutations, 0) as mutations
from named
left join told on told.intent_id = named.intent_id
left join marks on marks.intent_id = named.intent_id
left join work on work.intent_id = named.intent_id;
