-- Mutations, each with the prompt before it
with
turns as (
    select session_id, position as asked_at
    from prompts
)

select
    mutations.position as position,
    mutations.mutation_id as mutation_id,
    mutations.session_id as session_id,
    mutations.agent_id as agent_id,
    mutations.intent_id as intent_id,
    mutations.contributor_type as contributor_type,
    mutations.via as via,
    mutations.tool_call_id as tool_call_id,
    mutations.declared_class as declared_class,
    mutations.vcs_revision as vcs_revision,
    turns.asked_at as asked_at
from mutations
asof left join turns on turns.session_id = mutations.session_id and mutations.position >= turns.asked_at
where mutations.mutation_id in (select unnest($ids))
order by mutations.position
