-- Which changes by agents belong to no intent?
-- control: CC8.1
-- asked as: change not belong intent|task|ticket, change no intent, belong no intent
-- asked as: change|edit|write|work|done outside|without intent|task|ticket
-- how many: change
-- topic: changes
-- param since?: only from this moment on
-- columns: mutation_id, path, agent_name, via, occurred_at, session_id, lines_added, lines_deleted
select
    mutation_id,
    path,
    max(agent_name) as agent_name,
    max(via) as via,
    max(occurred_at) as occurred_at,
    max(session_id) as session_id,
    cast(sum(lines_added) as bigint) as lines_added,
    cast(sum(lines_deleted) as bigint) as lines_deleted
from v_mutations
where contributor_type = 'ai' and intent_id is null and ($since is null or occurred_at >= $since)
group by mutation_id, path
order by min(position), path;
