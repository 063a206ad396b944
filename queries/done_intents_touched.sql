-- Which finished intents had their files changed later, for another intent or for none?
-- param since?: only changes from this moment on
-- columns: intent_id, completed_at, path, mutation_id, occurred_at, by_intent, agent_name
with
finished as (
    select intent_id, max(position) as completed_position, max(valid_from) as completed_at
    from v_intent_history
    where event_type = 'intent.completed'
    group by intent_id
),

owned as (
    select distinct finished.intent_id as intent_id, completed_position, completed_at, path
    from finished
    inner join v_mutations as mutations
        on mutations.intent_id = finished.intent_id and mutations.position <= completed_position
)

select
    owned.intent_id,
    owned.completed_at,
    owned.path,
    later.mutation_id,
    later.occurred_at,
    later.intent_id as by_intent,
    later.agent_name
from owned
inner join v_mutations as later
    on later.path = owned.path and later.position > owned.completed_position
where
    later.intent_id is distinct from owned.intent_id
    and coalesce(later.part, 1) = 1
    and ($since is null or later.occurred_at >= cast($since as timestamp))
order by owned.intent_id, later.position, owned.path;
