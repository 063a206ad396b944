-- Files of a finished intent were changed for another one, or for none
-- id: LT008
-- level: medium
-- control: CC8.1
-- message: {path} belongs to the finished {done_intent} and was changed for {by_intent}
-- remedy: linetrail intents history {done_intent}; verify it again, or linetrail intents reopen {done_intent}
-- why: What was verified when an intent was completed need not hold any more, and nobody was asked to look again.
-- example: INT-0012 is DONE; a week later a session for INT-0040 rewrites the function that it was about.
-- silent: where the intent was reopened before
-- param since?: only from this moment on
-- columns: position, path, line, end_line, anchor, session_id, intent_id, agent_name, event_id, occurred_at, done_intent, by_intent
with
states as (
    select
        intent_id,
        position,
        case
            when event_type = 'intent.completed' or status in ('DONE', 'COMPLETED') then 1
            else 0
        end as finished
    from v_intent_history
),

turns as (
    select
        intent_id,
        position,
        finished,
        coalesce(lag(finished) over (partition by intent_id order by position), 0) as finished_before
    from states
),

spans as (
    select
        intent_id,
        position,
        finished,
        lead(position) over (partition by intent_id order by position) as until_position
    from turns
    where finished <> finished_before
),

owned as (
    select
        spans.intent_id as intent_id,
        spans.position as completed_position,
        spans.until_position as until_position,
        mutations.path as path
    from spans
    inner join v_mutations as mutations
        on mutations.intent_id = spans.intent_id and mutations.position <= spans.position
    where spans.finished = 1
    group by spans.intent_id, spans.position, spans.until_position, mutations.path
)

select
    later.position,
    later.path,
    later.start_line as line,
    later.end_line,
    owned.intent_id || ' ' || coalesce(later.content_hash, later.after_hash, later.before_hash, '') as anchor,
    later.session_id,
    later.intent_id,
    later.agent_name,
    later.mutation_id as event_id,
    later.occurred_at,
    owned.intent_id as done_intent,
    coalesce(later.intent_id, 'no intent') as by_intent
from owned
inner join v_mutations as later
    on later.path = owned.path
    and later.position > owned.completed_position
    and (owned.until_position is null or later.position < owned.until_position)
where
    later.intent_id is distinct from owned.intent_id
    and not later.snapshot
    and coalesce(later.part, 1) = 1
    and ($since is null or later.occurred_at >= $since)
order by later.position, later.path, owned.intent_id;
