-- changed files, the lines that came and went, and how the changes came to be known
select
    strftime(mutations.occurred_at, '%Y-%m') as month,  -- month of the change, UTC
    owners.owner as owner,                              -- team that owns the file, by CODEOWNERS
    mutations.agent_name as agent_name,                 -- product
    mutations.model_id as model_id,                     -- model
    classes.change_class as change_class,               -- format, refactor, mixed, evolution; null: nobody judged it
    mutations.intent_id as intent_id,                   -- intent that was selected
    writers.person as person,
    count(*) as recorded,                                                         -- changed files, each as often as it was changed, by whomever
    count(*) filter (where mutations.observed) as observed,                       -- of them seen happening
    count(*) filter (where mutations.via = 'import') as imported,                 -- of them read in an agent's records afterwards
    count(*) filter (where mutations.via = 'unseen') as found,                    -- of them found: nobody was looking
    count(*) filter (where mutations.contributor_type = 'ai') as changes,         -- of them made by agents
    count(*) filter (where mutations.contributor_type = 'ai' and mutations.in_scope = false) as out_of_scope,     -- by agents outside of the scope of the intent
    count(*) filter (where mutations.contributor_type = 'ai' and mutations.intent_id is null) as without_intent,  -- by agents for no intent
    coalesce(sum(mutations.lines_added) filter (where mutations.contributor_type = 'ai'), 0)::bigint as lines_added,     -- new lines of substance, by agents
    coalesce(sum(mutations.lines_deleted) filter (where mutations.contributor_type = 'ai'), 0)::bigint as lines_deleted  -- lines of substance that went, by agents
from v_mutations as mutations
left join path_owners as owners on owners.path = mutations.path
left join v_mutation_classes as classes on classes.mutation_id = mutations.mutation_id
left join writers on mutations.position between writers.first_position and writers.last_position
where not mutations.snapshot and coalesce(mutations.part, 1) = 1
group by all;
