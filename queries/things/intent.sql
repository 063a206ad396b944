-- One row is one intent.
-- words: intent, task, ticket, goal
-- figures: events, sessions, changes, seconds, reopened
-- verbs: complete, finish, create, have, start, own, owner, responsible, mark, reopen, get, got, select, give
-- priority=high: high-priority
-- priority=medium: medium-priority
-- priority=low: low-priority
-- status=DONE: done, complete, completed, finish, finished, closed
-- status=IN_PROGRESS: ongoing, active, open, unfinished
-- status=BLOCKED: block, blocked, stuck, unfinished
-- status=DRAFT: draft, unfinished
-- status=PENDING: pending, unfinished
-- status=ABORTED: abort, aborted, abandon, abandoned, dropped, cancel, cancelled
select
    intents.intent_id as id,
    coalesce(intents.created_at, states.first_at) as happened_at,
    intents.intent_id as intent,
    intents.title as what,
    intents.status,
    intents.priority,
    intents.owner as person,
    patterns.scope,
    intents.blocked_reason as reason,
    intents.acceptance_criteria as criteria,
    intents.constraints,
    intents.dependencies,
    intents.created_at,
    intents.selected_at,
    intents.completed_at,
    round(epoch(intents.completed_at) - epoch(intents.created_at), 3) as seconds,
    intents.events,
    intents.sessions,
    intents.mutations as changes,
    finished.reopened
from v_intents as intents
left join (
    select intent_id, string_agg(path_pattern, chr(10) order by place) as scope
    from v_intent_scope
    group by intent_id
) as patterns on patterns.intent_id = intents.intent_id
left join (
    select intent_id, min(valid_from) as first_at
    from v_intent_history
    group by intent_id
) as states on states.intent_id = intents.intent_id
left join (
    select intent_id, count(until_position) as reopened
    from v_finished_spans
    group by intent_id
) as finished on finished.intent_id = intents.intent_id
where not coalesce(intents.removed, false)
