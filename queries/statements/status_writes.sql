-- The last writes of agents behind a place in the ledger
select position as seq, occurred_at, agent_name, intent_id, path, op, lines_added, lines_deleted
from mutation_files
where contributor_type = 'ai' and coalesce(part, 1) = 1 and position > $after
order by position desc, path
limit $limit
