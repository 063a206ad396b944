-- When intents that were done were opened again last, why, and how that came about
-- param ids: the intents that are open
with
steps as (
    select
        intent_id,
        position,
        status,
        reason,
        told_by,
        valid_from,
        lag(status) over (partition by intent_id order by position) as before
    from v_intent_history
    where intent_id in (select unnest($ids))
)

select intent_id, max(valid_from), arg_max_null(reason, position), arg_max_null(told_by, position)
from steps
where before = 'DONE' and status in ('DRAFT', 'IN_PROGRESS')
group by intent_id
order by intent_id
