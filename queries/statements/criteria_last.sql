-- How the commands of acceptance criteria ended when they were run last
-- param ids: the intents
with
ran as (
    select
        intent_id,
        payload ->> 'criterion' as criterion,
        max(position) as position,
        arg_max(cast(payload ->> 'passed' as boolean), position) as passed,
        arg_max_null(cast(payload ->> 'exit_code' as bigint), position) as exit_code,
        arg_max_null(payload ->> 'excerpt', position) as excerpt,
        arg_max(occurred_at, position) as checked_at
    from v_events
    where event_type = 'criterion.checked' and intent_id in (select unnest($ids))
    group by intent_id, payload ->> 'criterion'
),

written as (
    select intent_id, max(position) as position
    from v_mutations
    where intent_id in (select unnest($ids)) and not snapshot
    group by intent_id
)

select ran.*, coalesce(written.position > ran.position, false) as changed_since
from ran
left join written on written.intent_id = ran.intent_id
order by ran.position
