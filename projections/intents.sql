-- one row is one intent that an event belongs to or tells about, as it was told last
-- needs: events, intent_marks, intent_history
-- arg_max passes over nulls: what was said last, if anything was
with
told as (
    select
        intent_id,
        arg_max(title, position) as title,
        arg_max(status, position) as status,
        arg_max(scope, position) as scope,
        max(position) as told_position
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
    created_at,
    selected_at,
    completed_at,
    last_event_at,
    least(marks.first_position, work.first_position) as first_position,
    coalesce(events, 0) as events,
    coalesce(sessions, 0) as sessions,
    coalesce(mutations, 0) as mutations
from named
left join told on told.intent_id = named.intent_id
left join marks on marks.intent_id = named.intent_id
left join work on work.intent_id = named.intent_id;
