-- Definitions one of whose versions has a hash.
select distinct versions.node_id
from v_node_versions as versions
join v_nodes as nodes on nodes.node_id = versions.node_id
where $digits in (versions.node_hash, versions.shape_hash, versions.raw_hash)
order by versions.node_id
limit 7;
