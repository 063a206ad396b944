-- Did an agent change the rules or the memory that steer it?
-- control: ASI06
-- asked as: agent own rule
-- asked as: agent edit own rule, change own rule, own instructions, own memory, agent change rule
-- asked as: edit own settings
-- how many: edit
-- topic: changes
-- param since?: only from this moment on
-- columns: path, session_id, diffstat, op, occurred_at, agent_name, intent_id, lines_added, lines_deleted, mutation_id
-- instructions, settings, hooks and memory of agents, and what linetrail itself goes by. diffstat null: only hashes known
with
changed as (
    select
        mutations.mutation_id as mutation_id,
        mutations.path as path,
        min(mutations.position) as position,
        max(mutations.session_id) as session_id,
        max(mutations.op) as op,
        max(mutations.occurred_at) as occurred_at,
        max(mutations.agent_name) as agent_name,
        max(mutations.intent_id) as intent_id,
        cast(sum(mutations.lines_added) as bigint) as lines_added,
        cast(sum(mutations.lines_deleted) as bigint) as lines_deleted
    from v_mutations as mutations
    inner join v_protected_paths as guarded
        on guarded.path = mutations.path and guarded.protected_as in ('agent', 'gate')
    where mutations.contributor_type = 'ai' and ($since is null or mutations.occurred_at >= $since)
    group by mutations.mutation_id, mutations.path
)

select
    path,
    session_id,
    '+' || lines_added || ' -' || lines_deleted as diffstat,
    op,
    occurred_at,
    agent_name,
    intent_id,
    lines_added,
    lines_deleted,
    mutation_id
from changed
order by position, path;
