-- one row is one stretch of the ledger in which an intent was finished
-- needs: intent_history
with
states as (
    select
        intent_id,
        position,
        valid_from,
        event_type = 'intent.completed' or coalesce(status in ('DONE', 'COMPLETED'), false) as finished
    from intent_history
),

turns as (
    select *, coalesce(lag(finished) over (partition by intent_id order by position), false) as finished_before
    from states
),

spans as (
    select
        intent_id,
        position,
        lead(position) over (partition by intent_id order by position) as until_position,
        valid_from as completed_at,
        finished
    from turns
    where finished <> finished_before
)

select intent_id, position, until_position, completed_at
from spans
where finished;
