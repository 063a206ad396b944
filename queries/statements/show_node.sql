-- One definition.
select *
from v_nodes
where node_id = $id;
