-- Every move of work from one state to the next, in order
select
    intent_id,
    occurred_at as moved_at,
    payload ->> 'state' as state,
    payload ->> 'branch' as branch,
    payload ->> 'target' as target,
    payload ->> 'role' as role,
    payload ->> 'base' as base,
    payload ->> 'head' as head,
    payload ->> 'revision' as revision,
    payload ->> 'reason' as reason,
    payload -> 'findings' as findings
from v_events
where event_type = 'work.moved' and intent_id is not null
order by position
