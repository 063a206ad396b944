-- What would I break by touching this definition?
-- asked as: happen code if delete, happen if|when delete|remove|rename|move|change, break rename|remove|delete|move, callers of
-- asked as: callers definition, break touch, depend on, dependents, who uses, who uses class|function|method, who calls, what uses, what calls
-- topic: changes
-- param node: a node id, a name, Outer.name, or path:Outer.name, as HEAD has it
-- columns: node_id, edge_type, intent_id, path, qualified_name, line_no, times, confidence, evidence, of_node_id, agent_name, session_id
-- who uses its name, or that of what is part of it, and what it is part of; intent_id: of the last recorded change there;
-- confidence below 0.6: the name alone is known, and several definitions may have it
with
meant as (
    select node_id
    from v_nodes
    where
        node_id = $node
        or qualified_name = $node
        or path || ':' || qualified_name = $node
        or substr(qualified_name, length(qualified_name) - length($node)) = '.' || $node
),

touched as (
    select node_id
    from meant
    union
    select v_nodes.node_id
    from v_nodes
    inner join meant on meant.node_id = v_nodes.parent_id
),

dependents as (
    select
        lineage.src_id as node_id,
        lineage.edge_type as edge_type,
        lineage.dst_id as of_node_id,
        lineage.line_no as line_no,
        lineage.times as times,
        lineage.confidence as confidence,
        lineage.evidence as evidence
    from v_lineage as lineage
    where
        (
            (lineage.edge_type = 'mentions' and lineage.dst_id in (select node_id from touched))
            or (lineage.edge_type = 'contains' and lineage.dst_id in (select node_id from meant))
        )
        and lineage.src_id not in (select node_id from touched)
),

ranked as (
    select
        node_id,
        intent_id,
        agent_name,
        session_id,
        row_number() over (partition by node_id order by place desc) as nth
    from v_node_versions
    where mutation_id is not null
)

select
    dependents.node_id,
    dependents.edge_type,
    ranked.intent_id,
    nodes.path,
    nodes.qualified_name,
    dependents.line_no,
    dependents.times,
    dependents.confidence,
    dependents.evidence,
    dependents.of_node_id,
    ranked.agent_name,
    ranked.session_id
from dependents
inner join v_nodes as nodes on nodes.node_id = dependents.node_id
left join ranked on ranked.node_id = dependents.node_id and ranked.nth = 1
order by
    dependents.edge_type desc,
    dependents.confidence desc,
    nodes.path,
    dependents.line_no,
    nodes.qualified_name,
    dependents.of_node_id;
