-- Which definitions use one in these files, from another file
select target.path as path, source.path || ':' || source.qualified_name as source, target.qualified_name as used
from v_lineage as lineage
inner join v_nodes as source on source.node_id = lineage.src_id
inner join v_nodes as target on target.node_id = lineage.dst_id
where
    lineage.edge_type = 'mentions'
    and lineage.confidence >= 0.6
    and target.path in (select unnest($paths))
    and source.path <> target.path
order by target.path, source.path, lineage.line_no, source.qualified_name, target.qualified_name
