-- Which finished intents had their files changed later, for another intent or for none?
-- control: CC8.1
-- asked as: finished intent touched, done intent touched, done intent changed, finished intent changed
-- asked as: completed intent changed, intent changed after finished|done|completed|closed
-- topic: intents
-- param since?: only changes from this moment on
-- columns: intent_id, completed_at, mutation_id, by_intent, path, occurred_at, agent_name, contributor_type, via
-- by file, and by place in the ledger: a change counts from the completion of the intent until it is opened again
with
states as (
    select
        intent_id,
        position,
        valid_from,
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
        valid_from,
        finished,
        coalesce(lag(finished) over (partition by intent_id order by position), 0) as finished_before
    from states
),

spans as (
    select
        intent_id,
        position,
        valid_from,
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
        spans.valid_from as completed_at,
        mutations.path as path
    from spans
    inner join v_mutations as mutations
        on mutations.intent_id = spans.intent_id and mutations.position <= spans.position
    where spans.finished = 1
    group by spans.intent_id, spans.position, spans.until_position, spans.valid_from, mutations.path
)

select
    owned.intent_id,
    owned.completed_at,
    later.mutation_id,
    later.intent_id as by_intent,
    owned.path,
    later.occurred_at,
    later.agent_name,
    later.contributor_type,
    later.via
from owned
inner join v_mutations as later
    on later.path = owned.path
    and later.position > owned.completed_position
    and (owned.until_position is null or later.position < owned.until_position)
where
    later.intent_id is distinct from owned.intent_id
    and coalesce(later.part, 1) = 1
    and not later.snapshot
    and ($since is null or later.occurred_at >= $since)
order by owned.intent_id, later.position, owned.path;
