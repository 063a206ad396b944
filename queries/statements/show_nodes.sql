-- Definitions whose id begins like a text.
select node_id
from v_nodes
where starts_with(node_id, $id)
order by node_id
limit 7;
