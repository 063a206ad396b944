-- Which files do agents change most?
-- param since?: only from this moment on
-- columns: path, mutations, agents, intents, sessions, lines_added, lines_deleted, last_at
select
    path,
    count(distinct mutation_id) as mutations,
    count(distinct agent_name) as agents,
    count(distinct intent_id) as intents,
    count(distinct session_id) as sessions,
    sum(lines_added) as lines_added,
    sum(lines_deleted) as lines_deleted,
    max(occurred_at) as last_at
from v_mutations
where contributor_type = 'ai' and ($since is null or occurred_at >= cast($since as timestamp))
group by path
order by mutations desc, path;
