-- one row is one state of an intent, from the event that told it until the next
-- needs: intent_marks
with
told as (
    select
        *,
        lag(position) over (partition by intent_id order by position) as before,
        lag(title) over (partition by intent_id order by position) as title_before,
        lag(status) over (partition by intent_id order by position) as status_before,
        lag(scope) over (partition by intent_id order by position) as scope_before
    from intent_marks
    where event_type <> 'intent.cleared' and intent_id is not null
),

changed as (
    select *
    from told
    where
        before is null
        or event_type = 'intent.completed'
        or title is distinct from title_before
        or status is distinct from status_before
        or scope is distinct from scope_before
)

select
    intent_id,
    position,
    event_id,
    event_type,
    session_id,
    title,
    status,
    scope,
    verification_notes,
    occurred_at as valid_from,
    lead(occurred_at) over (partition by intent_id order by position) as valid_to
from changed;
