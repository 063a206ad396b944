-- Files out of which a session took lines at about a place in the ledger, the nearest first
select path
from mutation_files
where session_id = $session and position between $first and $last and (lines_deleted > 0 or op = 'delete')
group by path
order by min(abs(position - $position)), path
limit $limit
