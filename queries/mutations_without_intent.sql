-- Which changes by agents belong to no intent?
-- param since?: only from this moment on
-- columns: mutation_id, occurred_at, path, agent_name, session_id, via, lines_added
select mutation_id, occurred_at, path, agent_name, session_id, via, lines_added
from v_mutations
where
    contributor_type = 'ai'
    and intent_id is null
    and ($since is null or occurred_at >= cast($since as timestamp))
order by position, path;
