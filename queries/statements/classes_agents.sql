-- The last changes by agents
select mutation_id
from mutations
where contributor_type = 'ai'
order by position desc
limit $limit
