-- Which files do agents change most?
-- topic: changes
-- param since?: only from this moment on
-- columns: path, agent_name, mutations, intents, authors, sessions, lines_added, lines_deleted, last_at
-- authors: people and agents who changed the file in this time, as far as recorded: each agent is one, all people are one
with
counted as (
    select
        path,
        count(distinct case contributor_type when 'ai' then coalesce(agent_name, '') else contributor_type end) as authors
    from v_mutations
    where $since is null or occurred_at >= $since
    group by path
)

select
    changed.path,
    changed.agent_name,
    count(distinct changed.mutation_id) as mutations,
    count(distinct changed.intent_id) as intents,
    counted.authors,
    count(distinct changed.session_id) as sessions,
    cast(sum(changed.lines_added) as bigint) as lines_added,
    cast(sum(changed.lines_deleted) as bigint) as lines_deleted,
    max(changed.occurred_at) as last_at
from v_mutations as changed
inner join counted on counted.path = changed.path
where changed.contributor_type = 'ai' and ($since is null or changed.occurred_at >= $since)
group by changed.path, changed.agent_name, counted.authors
order by count(distinct changed.mutation_id) desc, changed.path, changed.agent_name nulls last;
